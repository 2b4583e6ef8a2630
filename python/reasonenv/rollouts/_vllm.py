"""Generation by vLLM."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reasonenv._native import ReasonEnvError
from reasonenv.rollouts._local import Generated


class VllmEngine:
    """A model that vLLM runs. It brings its own batching, so many requests at once pay."""

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        try:
            import vllm  # noqa: PLC0415, an extra
        except ImportError as error:
            msg = f"`vllm:` policies need the package vllm ({error}); install reasonenv[vllm]"
            raise ReasonEnvError(msg) from None
        try:
            self._llm = vllm.LLM(model=path, **options)
        except (OSError, ValueError, TypeError) as error:
            msg = f"`vllm:{path}` cannot be loaded: {' '.join(str(error).split())[:300]}"
            raise ReasonEnvError(msg) from error
        self._params = vllm.SamplingParams
        self.tokenizer = self._llm.get_tokenizer()
        self.context = int(self._llm.llm_engine.model_config.max_model_len)
        usual = self._llm.get_default_sampling_params()
        self._usual = {name: getattr(usual, name) for name in ("temperature", "top_p", "top_k")}

    def generate(
        self,
        prompts: Sequence[list[int]],
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        stopped: Callable[[], bool],  # noqa: ARG002, vLLM has no hook for it
    ) -> list[Generated]:
        """Return the continuation of each prompt."""
        params = [
            self._params(**self._usual | dict(settings), seed=seed, skip_special_tokens=False)
            for seed in seeds
        ]
        asked = [{"prompt_token_ids": ids} for ids in prompts]
        found = []
        for reply in self._llm.generate(asked, params, use_tqdm=False):
            said = reply.outputs[0]
            found.append(Generated(said.text, len(said.token_ids), said.finish_reason == "length"))
        return found
