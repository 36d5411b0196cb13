"""What an index answers about tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.task import Step, Task


class TaskIndex(Protocol):
    """Tasks, and where they are. Lists give open tasks first, the most urgent and then the oldest of them first, and
    behind them those that are over, the newest first; without details."""

    def task(self, n: int) -> Task | None:
        """Task `n`, with its detail."""

    def with_id(self, bag: str, task_id: str) -> Task | None:
        """The task of that id, with its detail."""

    def number(self, bag: str, task_id: str) -> int:
        """The number of the task of that id; 0 when there is none."""

    def nearest(self, n: int) -> list[int]:
        """The numbers of the tasks before and behind `n`."""

    def listed(self, bag: str, *, only_open: bool = False, limit: int) -> list[Task]:
        """All tasks of a bag."""

    def held(self, bag: str, seat: str, *, only_open: bool = False, limit: int) -> list[Task]:
        """The tasks that lie with a seat, or came to their end there."""

    def given(self, bag: str, seat: str, *, only_open: bool = False, limit: int) -> list[Task]:
        """The tasks that a seat gave."""

    def pool(self, bag: str, project_id: str | None, *, limit: int) -> list[Task]:
        """The tasks that lie in the pool of a project; None: of any."""

    def holders(self, bag: str) -> list[str]:
        """The seats that open tasks lie with."""

    def unnoticed(self, bag: str, seat: str, *, limit: int) -> list[Task]:
        """The open tasks of a seat of which nobody was told that it is empty."""

    def noticed(self, bag: str, seat: str, *, limit: int) -> list[Task]:
        """The open tasks of a seat of which somebody was told that it is empty, the longest so first."""

    def steps(self, task: Task, *, before: int | None = None, limit: int) -> list[Step]:
        """The newest entries of a task's history before a number, oldest first."""
