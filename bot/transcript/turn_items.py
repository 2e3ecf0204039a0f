"""The items of a turn in their order, and the place of each ticket's card among them."""

from collections.abc import Collection, Iterable
from typing import TypeVar

from bot.transcript.items import Item, LookupGroup, Slot, SubagentGroup, Thinking

Group = TypeVar("Group", LookupGroup, SubagentGroup)


class TurnItems:
    """Items grow and settle where they stand; only what this does with them raises `revision`."""

    def __init__(self) -> None:
        self.shown: list[Item] = []
        self.loose: list[Slot] = []
        """Cards whose tool call has not been seen yet: the request can overtake the journal."""
        self.revision = 0
        """Rises when what already stood changes: text replaced, an item taken back or put in between."""
        self._tickets: dict[str, str] = {}
        """The tool call of each ticket."""
        self._above: dict[str, Item | None] = {}
        """The item below which the card of each call belongs."""

    def add(self, item: Item) -> None:
        self.shown.append(item)

    def take_back(self, items: Iterable[Item]) -> None:
        gone = set(map(id, items))
        if gone:
            self.shown = [item for item in self.shown if id(item) not in gone]
            self.revision += 1

    @property
    def last(self) -> Item | None:
        return self.shown[-1] if self.shown else None

    def last_group(self, kind: type[Group]) -> Group | None:
        """Give the last item if it is of this kind; thinking in between does not count."""
        for item in reversed(self.shown):
            if not isinstance(item, Thinking):
                return item if isinstance(item, kind) else None
        return None

    # Cards

    def knows(self, tool_use_id: str) -> bool:
        """Say whether the call was seen, Claude's own or a subagent's."""
        return tool_use_id in self._above

    def item_of(self, tool_use_id: str) -> Item | None:
        """Give the item that a call stands in, or below."""
        return self._above.get(tool_use_id)

    def ticket_of(self, tool_use_id: str) -> str:
        """Give the last ticket that was about a call; empty if there was none."""
        return next((t for t, call in reversed(self._tickets.items()) if call == tool_use_id), "")

    def call_of(self, ticket_id: str) -> str:
        """Give the call that a ticket is about; empty if it is about none."""
        return self._tickets.get(ticket_id, "")

    @property
    def asked(self) -> Collection[str]:
        """The calls that somebody was asked about."""
        return self._tickets.values()

    def add_slot(self, ticket_id: str, tool_use_id: str) -> None:
        """Give a ticket's card its place: right below the tool call that it is about."""
        if ticket_id in self._tickets:
            return
        self._tickets[ticket_id] = tool_use_id
        slot = Slot(ticket_id)
        if tool_use_id in self._above:
            self._place(slot, self._above[tool_use_id])
        elif tool_use_id:
            self.loose.append(slot)
        else:
            self.add(slot)

    def add_call(self, tool_use_id: str, item: Item | None) -> None:
        """Remember below what a call's card belongs, and put it there if it is waiting for that."""
        self._above[tool_use_id] = item
        for slot in [slot for slot in self.loose if self._tickets[slot.ticket_id] == tool_use_id]:
            self.loose.remove(slot)
            self._place(slot, item)

    def _place(self, slot: Slot, below: Item | None) -> None:
        place = len(self.shown)
        while place > 0 and self.shown[place - 1] is not below:
            place -= 1
        while place < len(self.shown) and isinstance(self.shown[place], Slot):
            place += 1
        self.revision += place < len(self.shown)
        self.shown.insert(place, slot)
