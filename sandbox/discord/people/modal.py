"""A modal that the bot opened, and what a person submits in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.discord.people.person_errors import PersonCannotError
from sandbox.discord.state.entities import SELECTS, ComponentType, Json, walk
from sandbox.discord.state.interaction import Interaction

Value = str | list[str]


@dataclass(frozen=True)
class ModalField:
    label: str
    component: Json

    @property
    def custom_id(self) -> str:
        return str(self.component["custom_id"])

    @property
    def value(self) -> str:
        """The initial value of a text field."""
        return self.component.get("value") or ""


@dataclass(frozen=True)
class OpenedModal:
    interaction: Interaction
    """The interaction that opened it."""
    data: Json

    @property
    def title(self) -> str:
        return str(self.data["title"])

    @property
    def custom_id(self) -> str:
        return str(self.data["custom_id"])

    @property
    def fields(self) -> list[ModalField]:
        found: list[ModalField] = []
        for component in self.data["components"]:
            if component["type"] == ComponentType.LABEL:
                found.append(ModalField(component["label"], component["component"]))
            found += [ModalField(each["label"], each) for each in component.get("components") or ()]
        return found

    def field(self, name: str) -> ModalField:
        """Find a field by its label, or by its custom_id."""
        for each in self.fields:
            if name in {each.label, each.custom_id}:
                return each
        labels = ", ".join(repr(each.label) for each in self.fields)
        raise PersonCannotError(f"The form {self.title!r} has no field {name!r}, only {labels}.")


def filled(modal: OpenedModal, values: Mapping[str, Value]) -> Json:
    """Return the submitted data: these values, and the initial values of the other fields."""
    given = {modal.field(name).custom_id: value for name, value in values.items()}
    components = [_filled(component, given) for component in modal.data["components"]]
    for number, component in enumerate(walk(components), start=1):
        component.setdefault("id", number)
    return {"custom_id": modal.custom_id, "components": components}


def _filled(component: Json, given: Mapping[str, Value]) -> Json:
    kept: Json = {key: component[key] for key in ("type", "id", "custom_id") if key in component}
    match component["type"]:
        case ComponentType.ROW:
            return kept | {"components": [_filled(each, given) for each in component["components"]]}
        case ComponentType.LABEL:
            return kept | {"component": _filled(component["component"], given)}
        case ComponentType.TEXT_INPUT:
            return kept | {"value": _text(component, given.get(component["custom_id"], component.get("value") or ""))}
        case kind if kind in SELECTS:
            return kept | {"values": _chosen(component, given.get(component["custom_id"]))}
        case _:
            return kept


def _text(component: Json, value: Value) -> str:
    if not isinstance(value, str):
        raise PersonCannotError(f"{component['custom_id']!r} is a text field.")
    least = component.get("min_length") or (1 if component.get("required", True) else 0)
    most = component.get("max_length") or 4000
    if not least <= len(value) <= most and (value or component.get("required", True)):
        raise PersonCannotError(f"The field takes {least} to {most} characters, not {len(value)}.")
    return value


def _chosen(component: Json, value: Value | None) -> list[str]:
    if value is None:
        return [each["value"] for each in component.get("options", ()) if each.get("default")]
    return chosen_values(component, [value] if isinstance(value, str) else value)


def chosen_values(select: Json, labels: list[str]) -> list[str]:
    """Convert the labels (or values) that a person chose to values; raise if they break the menu's limits."""
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    if not least <= len(labels) <= most:
        raise PersonCannotError(f"The menu takes {least} to {most} choices, not {len(labels)}.")
    if select["type"] != ComponentType.SELECT:
        return labels
    found: list[str] = []
    for label in labels:
        fits = [each["value"] for each in select["options"] if label in {each["label"], each["value"]}]
        if not fits:
            offered = ", ".join(repr(each["label"]) for each in select["options"])
            raise PersonCannotError(f"The menu does not offer {label!r}, only {offered}.")
        found.append(next((each for each in fits if each not in found), fits[0]))
    return found
