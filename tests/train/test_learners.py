"""The learners of the experiments do what they claim; needs PyTorch, so `make test-train` runs it."""

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reasonenv
import torch

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "examples/train"))

import ascii_tree
import tabular
import tic_tac_toe
import tic_tac_toe_text
from transformer import EOS, PAD, Model, Samples, Tokenizer, Update, policy_step, supervised_step

PROMPTS = ["say cat twice", "say horse twice", "say a very long word twice"]
SAID = ["cat cat", "horse horse", "word word"]


@pytest.fixture
def model() -> Model:
    torch.manual_seed(0)
    tokenizer = Tokenizer(PROMPTS * 20, SAID, variable=r"cat|horse|word", piece=r"\w+| |.")
    return Model(tokenizer, width=32, layers=2)


def test_what_is_written_can_be_read(model: Model) -> None:
    for text in [*SAID, "an unseen word, letter by letter"]:
        assert model.tokenizer.text(model.tokenizer.completion(text)) == text
    assert len(model.tokenizer.prompt(PROMPTS[0])) == 3  # a stretch, a name, a stretch


def test_generating_with_a_cache_and_padding_is_reading_it_all_at_once(model: Model) -> None:
    samples, texts = model.generate(PROMPTS, most=6)
    scores = model.logits(samples)
    written = samples.completions != PAD
    assert (scores.argmax(-1)[written] == samples.completions[written]).all()
    for prompt, text in zip(PROMPTS, texts, strict=True):  # alone, without padding
        assert model.generate([prompt], most=6)[1] == [text]


def test_samples_of_a_group_share_their_prompt(model: Model) -> None:
    torch.manual_seed(1)
    samples, texts = model.generate([one for one in PROMPTS for _ in range(4)], temperature=1.0, most=6)
    assert len(texts) == 12
    assert len(samples.prompts) == 3
    assert samples.rows.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    ended = (samples.completions == EOS).int().cumsum(1)
    assert (samples.completions[(ended - (samples.completions == EOS).int()) > 0] == PAD).all()


def test_supervision_is_learnt_by_heart(model: Model) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    losses = [supervised_step(model, optimizer, model.pack(PROMPTS, SAID)) for _ in range(60)]
    assert losses[-1] < 0.1 < losses[0]
    assert model.answers(PROMPTS, most=6) == SAID


def test_policy_gradients_follow_the_advantage(model: Model) -> None:
    optimizer = torch.optim.SGD(model.parameters(), 0.5)
    samples = model.pack(PROMPTS[:2], SAID[:2])

    def chances() -> list[float]:
        with torch.no_grad():
            logs = model.logits(samples).log_softmax(-1).gather(-1, samples.completions[..., None])[..., 0]
            return [float(one) for one in (logs * (samples.completions != PAD)).sum(1)]

    before = chances()
    policy_step(model, optimizer, samples, np.array([1.0, -1.0]), Update(temperature=1.0, entropy=0.0))
    after = chances()
    assert after[0] > before[0]
    assert after[1] < before[1]


def test_demonstrations_hold_the_tree_and_break_the_contract() -> None:
    batch = ascii_tree.source(ascii_tree.SIZES["small"], "train", 0).batch(0, 300)
    rng = random.Random(0)
    texts = [ascii_tree.untidy(answer, rng) for answer in batch.answers]
    tidy = [task.wrap(answer) for task, answer in zip(batch, batch.answers, strict=True)]
    assert batch.verify(tidy).passed.all()
    assert 0 < batch.verify(texts).passed.mean() < 0.05
    assert batch.verify([ascii_tree.tidied(text) for text in texts]).passed.all()


def test_shapes_leave_names_out() -> None:
    small = ascii_tree.source(ascii_tree.SIZES["small"], "test", 0).batch(0, 300)
    assert 2 <= len({ascii_tree.shape(task.problem) for task in small}) <= 20


def test_positions_after_a_move_are_those_of_the_game() -> None:
    state = reasonenv.game("tic_tac_toe").start()
    for action in (4, 0, 8, 2, 1):
        where = tabular.positions(np.asarray(state.observation(state.current_player or 0))[None])
        reached = tabular.after(where)[0, action]
        state.apply(action)
        assert reached == tabular.positions(np.asarray(state.observation(state.current_player or 0))[None])[0]


def test_a_position_where_many_games_stand_moves_by_their_mean() -> None:
    learner = tabular.TemporalDifference(0, rate=0.5)
    here, there = np.zeros(256, dtype=np.int64), np.full(256, 2)
    rewards, ended = np.repeat([1.0, 0.0], 128), np.ones(256, dtype=bool)
    tried = np.zeros(256, dtype=bool)
    masks = np.ones((256, 9), dtype=bool)
    learner.learn(here, np.zeros(256, dtype=np.int64), rewards, ended, there, masks, tried)
    assert learner.values[0] == pytest.approx(0.25)  # half way to the mean of the rewards
    learner.learn(here, np.zeros(256, dtype=np.int64), rewards, ended, there, masks, ~tried)
    assert learner.values[0] == pytest.approx(0.25)  # a move that was merely tried teaches nothing


def test_prompts_are_split_where_a_whole_stretch_is_rare() -> None:
    prompts = [f"cat sat.\nOn line {'abcdefgh'[i % 8] * 9}.\nThe end is cat" for i in range(40)]
    tokenizer = Tokenizer(prompts, [], variable="cat")
    assert len(tokenizer.prompt(prompts[0])) < 20  # the rare line in pieces, those that are common whole
    assert tokenizer.text(tokenizer.prompt(prompts[0])) == prompts[0]


def test_reading_a_prompt_once_is_reading_it_for_each_completion(model: Model) -> None:
    torch.manual_seed(2)
    samples, _ = model.generate([PROMPTS[i] for i in (0, 1, 2, 1, 0, 1)], temperature=1.0, most=6)
    each = Samples(samples.prompts[samples.rows], torch.arange(6), samples.completions)
    assert torch.allclose(model.logits(samples), model.logits(each), atol=1e-5)
    some = samples.only(torch.tensor([5, 4]))
    assert torch.equal(some.prompts, samples.prompts[:2])
    assert torch.allclose(model.logits(some), model.logits(each)[[5, 4]], atol=1e-5)


def test_the_mixture_is_a_distribution_over_legal_moves() -> None:
    mask = torch.tensor([[True, False, True] + [False] * 6])
    drawn_from = tic_tac_toe.mixed(torch.tensor([[1.0] + [0.0] * 8]), mask, torch.tensor([0.2]))
    assert drawn_from.sum() == pytest.approx(1)
    assert (drawn_from[~mask] == 0).all()
    assert drawn_from[0, 2] == pytest.approx(0.1)


@dataclass
class Game:
    """A rollout, as the computation of advantages sees it."""

    reward: float
    turns: list[dict[str, str]]


def test_a_move_is_told_by_what_came_right_after_it() -> None:
    def game(reward: float, *moves: str) -> Game:
        return Game(reward, [{"observation": f"message {i}", "action": said} for i, said in enumerate(moves)])

    # The critic knows that the second message loses, whatever led there.
    looks = {"message 0": 0.0, "message 1": -1.0}
    games: Any = [game(1.0, "good"), game(-1.0, "bad", "any"), game(-1.0, "bad", "other")]
    moves = tic_tac_toe_text.advantages(games, looks)
    assert [said for _, said in moves.pairs] == ["good", "any", "bad", "other"]
    gains = (moves.better + moves.worse).tolist()
    assert gains[0] > 0 > gains[2]
    assert gains[1] == gains[3]  # nothing could be won there any more
    assert moves.ends.tolist() == pytest.approx([(1 - 1 - 1) / 3, -1, (1 - 1 - 1) / 3, -1])


def test_ppo_says_more_of_what_did_well_and_goes_back(model: Model) -> None:
    learner = tic_tac_toe_text.Learner(model)
    games: Any = [
        Game(1.0 if said == SAID[0] else -1.0, [{"observation": PROMPTS[0], "action": said}])
        for said in SAID
        for _ in range(4)
    ]

    def chance() -> float:
        with torch.no_grad():
            return float(learner.read(model, model.pack(PROMPTS[:1], SAID[:1]))[0])

    before = chance()
    for _ in range(5):
        learner.learn(games, 1.0)
    assert chance() > before
    learner.go_back()
    assert chance() == pytest.approx(before)
