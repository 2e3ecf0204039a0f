"""The ordered items of a turn, including the position of each ticket's card."""

from collections.abc import Collection, Iterable
from typing import TypeVar

from bot.transcript.items import Item, LookupGroup, Slot, SubagentGroup, Thinking

Group = TypeVar("Group", LookupGroup, SubagentGroup)


class TurnItems:
    """The list of items. Items change in place; `revision` only counts removals, insertions and replaced texts."""

    def __init__(self) -> None:
        self.shown: list[Item] = []
        self.unplaced: list[Slot] = []
        """Cards whose tool call has not been seen yet: a request can arrive before its line in the journal."""
        self.revision = 0
        """Increases when earlier items change: text is replaced, or an item is removed or inserted."""
        self._tickets: dict[str, str] = {}
        """The tool call of each ticket, by ticket id."""
        self._above: dict[str, Item | None] = {}
        """The item above the card of each call, by tool use id."""

    def add(self, item: Item) -> None:
        self.shown.append(item)

    def remove(self, items: Iterable[Item]) -> None:
        gone = set(map(id, items))
        if gone:
            self.shown = [item for item in self.shown if id(item) not in gone]
            self.revision += 1

    @property
    def last(self) -> Item | None:
        return self.shown[-1] if self.shown else None

    def last_group(self, kind: type[Group]) -> Group | None:
        """Return the last item, ignoring thinking, if it is of this kind."""
        for item in reversed(self.shown):
            if not isinstance(item, Thinking):
                return item if isinstance(item, kind) else None
        return None

    # Cards

    def knows(self, tool_use_id: str) -> bool:
        """Check whether a call of Claude or a subagent was seen."""
        return tool_use_id in self._above

    def item_of(self, tool_use_id: str) -> Item | None:
        """Return the item of a call, or the item above its card."""
        return self._above.get(tool_use_id)

    def ticket_of(self, tool_use_id: str) -> str:
        """Return the last ticket of a call; empty if there is none."""
        return next((t for t, call in reversed(self._tickets.items()) if call == tool_use_id), "")

    def call_of(self, ticket_id: str) -> str:
        """Return the call of a ticket; empty if it has none."""
        return self._tickets.get(ticket_id, "")

    @property
    def asked(self) -> Collection[str]:
        """The calls that have a ticket."""
        return self._tickets.values()

    def place_card(self, ticket_id: str, tool_use_id: str) -> None:
        """Place a ticket's card right below its tool call."""
        if ticket_id in self._tickets:
            return
        self._tickets[ticket_id] = tool_use_id
        slot = Slot(ticket_id)
        if tool_use_id in self._above:
            self._insert(slot, self._above[tool_use_id])
        elif tool_use_id:
            self.unplaced.append(slot)
        else:
            self.add(slot)

    def add_call(self, tool_use_id: str, item: Item | None) -> None:
        """Record the item above a call's card, and place cards that were waiting for this call."""
        self._above[tool_use_id] = item
        for slot in [slot for slot in self.unplaced if self._tickets[slot.ticket_id] == tool_use_id]:
            self.unplaced.remove(slot)
            self._insert(slot, item)

    def _insert(self, slot: Slot, below: Item | None) -> None:
        place = len(self.shown)
        while place > 0 and self.shown[place - 1] is not below:
            place -= 1
        while place < len(self.shown) and isinstance(self.shown[place], Slot):
            place += 1
        self.revision += place < len(self.shown)
        self.shown.insert(place, slot)
