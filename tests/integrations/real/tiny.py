"""A language model with 27,000 weights and a byte tokenizer, built in code without downloads."""

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers


def tokenizer(template: str | None = None) -> Any:
    """256 bytes and three marks, with a chat template of three lines by default."""
    marks = ["<|pad|>", "<|im_start|>", "<|im_end|>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={mark: at for at, mark in enumerate(marks + alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<|pad|>",
        eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>"],
        padding_side="left",
    )
    fast.chat_template = template or (
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    return fast


def model(tokens: Any, seed: int = 0) -> Any:
    """Two layers of width 32."""
    torch.manual_seed(seed)
    config = transformers.Qwen2Config(
        vocab_size=len(tokens),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        bos_token_id=None,
        eos_token_id=tokens.eos_token_id,
        pad_token_id=tokens.pad_token_id,
        tie_word_embeddings=True,
    )
    return transformers.Qwen2ForCausalLM(config)


def tool_template(package: Path) -> str:
    """A chat template with tools, as in TRL."""
    return (package / "chat_templates" / "qwen3.jinja").read_text()
