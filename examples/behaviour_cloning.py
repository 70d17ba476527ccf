"""Behaviour cloning: a network learns what a person does, from recordings of this person's play.

    pip install '.[torch]'
    pyale-ma play quartet --mode 1 --record first.zip      # play some minutes, also several times,
    python behaviour_cloning.py first.zip -o clone.pt      # or record in the browser

The recordings are played again frame by frame, with RAM as what was observed; the network learns
which action followed.  Then it plays itself, beside random play.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pyale_ma.evaluation import Arena, RandomPolicy, Turn
from pyale_ma.recording import Header, Recording

ACTIONS = 18


class Clone(nn.Module):
    """Chooses an action by RAM and its change, in units of what is usual in the recordings."""

    def __init__(self, hidden: int = 128) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(256))
        self.register_buffer("deviation", torch.ones(256))
        self.net = nn.Sequential(nn.Linear(256, hidden), nn.ReLU(), nn.Linear(hidden, ACTIONS))

    def features(self, stacks: Tensor) -> Tensor:
        """Of uint8 (n, 2, 128): RAM a frame before, and now."""
        before, now = stacks[:, 0].float(), stacks[:, 1].float()
        return torch.cat((now, now - before), 1)

    def forward(self, stacks: Tensor) -> Tensor:
        """The logits of all actions."""
        usual = (self.features(stacks) - self.mean) / self.deviation
        return self.net(usual.clamp(-5, 5))


def demonstrations(recording: Recording) -> tuple[Tensor, Tensor]:
    """Return RAM before each frame and one frame earlier, and the player's actions."""
    stacks, actions, before = [], [], None
    for step in recording.steps(obs_type="ram"):
        now = step.observation
        stacks.append(np.stack((now if before is None or step.starts else before, now)))
        actions.append(step.action[0])
        before = now
    return torch.from_numpy(np.array(stacks)), torch.tensor(actions)


def learn(
    stacks: Tensor, actions: Tensor, *, epochs: int, batch: int = 64, rate: float = 3e-3
) -> Clone:
    """Fit a network to demonstrations."""
    clone = Clone()
    features = clone.features(stacks)
    clone.mean[:] = features.mean(0)
    clone.deviation[:] = features.std(0).clamp(min=0.1)
    optimizer = torch.optim.Adam(clone.parameters(), lr=rate)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, epochs)
    for epoch in range(epochs):
        losses = []
        for chosen in torch.randperm(len(stacks)).split(batch):
            loss = nn.functional.cross_entropy(clone(stacks[chosen]), actions[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        decay.step()
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}")
    return clone


def checked(files: Sequence[Path]) -> list[Recording]:
    """The recordings, if they are of one game for one player in one mode, frame by frame."""
    recordings = [Recording.open(file) for file in files]
    first = recordings[0].header
    for file, recording in zip(files, recordings, strict=True):
        header = recording.header
        if (header.layer, header.players) != ("console", 1) or header.games[0].card:
            raise ValueError(f"{file} is not of a person who played a game alone, frame by frame")
        if said(header) != said(first):
            raise ValueError(f"{file} is of {said(header)}, but {files[0]} of {said(first)}")
    return recordings


def said(header: Header) -> tuple[str, int, int, int]:
    """Game, rules, mode and difficulty."""
    options = header.options
    return header.games[0].name, options["rules"], options["mode"], options["difficulty"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="recordings of one game")
    parser.add_argument("-o", "--out", type=Path, help="where to save the network")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--games", type=int, default=20, help="to play in the end")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args(arguments)
    torch.manual_seed(options.seed)

    try:
        recordings = checked(options.files)
    except (OSError, ValueError) as problem:  # no such recording, or one of something else
        parser.error(str(problem))
    for recording in recordings:
        print(f"{recording.verify()}")
    parts = [demonstrations(recording) for recording in recordings]
    stacks, actions = (torch.cat(column) for column in zip(*parts, strict=True))
    held = torch.rand(len(stacks)) < 0.1
    clone = learn(stacks[~held], actions[~held], epochs=options.epochs)
    with torch.no_grad():
        hits = (clone(stacks[held]).argmax(1) == actions[held]).float().mean()
        rest = (actions[held] == actions.mode().values).float().mean()
    print(f"of {int(held.sum())} frames not learned from, the action is foretold in {hits:.0%}")
    print(f"(always the most frequent one: {rest:.0%})")
    if options.out:
        torch.save(clone.state_dict(), options.out)

    game, rules, mode, difficulty = said(recordings[0].header)
    arena = Arena(
        game,
        1 if rules else None,
        mode=mode,
        difficulty=difficulty,
        obs_type="ram",
        stack_num=2,
        frameskip=1,
        noop_max=0,
        use_fire_reset=False,
        full_action_space=True,
        repeat_action_probability=recordings[0].header.options["repeat_action_probability"],
    )

    @torch.no_grad()
    def play(observations: npt.NDArray[np.uint8], _: object, turn: Turn) -> list[int]:
        shares = clone(torch.from_numpy(observations)).softmax(1).cumsum(1).numpy()
        draws = [generator.random() for generator in turn.generators]
        chosen = [np.searchsorted(row, draw) for row, draw in zip(shares, draws, strict=True)]
        return [min(int(action), ACTIONS - 1) for action in chosen]

    print(arena.play({"clone": play, "random": RandomPolicy(ACTIONS)}, games=options.games))


if __name__ == "__main__":
    main()
