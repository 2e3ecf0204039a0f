"""Discord's limits on components, in messages and in modals."""

from collections.abc import Callable, Mapping

from sandbox.discord.errors import FormErrors
from sandbox.discord.state.entities import SELECTS, ComponentType, Json, walk
from sandbox.discord.validation.body_shapes import MODAL, refuse_misshapen
from sandbox.discord.validation.fields import Path, items, number, text

V2_COMPONENTS = 40
V2_TEXT = 4000
LINK, PREMIUM = 5, 6

Type = ComponentType
Check = Callable[[FormErrors, Path, Json], None]

_LEGACY_TOP = frozenset({Type.ROW})
_V2_TOP = frozenset({Type.ROW, Type.SECTION, Type.TEXT, Type.GALLERY, Type.FILE, Type.SEPARATOR, Type.CONTAINER})
_IN_CONTAINER = _V2_TOP - {Type.CONTAINER}
_IN_ROW = frozenset({Type.BUTTON, *SELECTS})
_IN_MODAL = frozenset({Type.ROW, Type.LABEL, Type.TEXT})
_IN_LABEL = frozenset(
    {Type.TEXT_INPUT, Type.FILE_UPLOAD, Type.RADIO_GROUP, Type.CHECKBOX_GROUP, Type.CHECKBOX, *SELECTS}
)


def check_components(form: FormErrors, at: Path, components: list[Json], *, v2: bool, files: set[str]) -> None:
    """Report every component that Discord would refuse in a message."""
    for index, component in enumerate(components):
        _check(form, (*at, index), component, _V2_TOP if v2 else _LEGACY_TOP)
    for media, where in _media(components, at):
        url = media.get("url")
        if not isinstance(url, str) or not url:
            form.wrong((*where, "url"), "BASE_TYPE_REQUIRED", "This field is required")
        elif url.startswith("attachment://") and url.removeprefix("attachment://") not in files:
            form.wrong(
                (*where, "url"),
                "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
                "The referenced attachment was not found.",
            )


def _media(components: list[Json], at: Path) -> list[tuple[Json, Path]]:
    found: list[tuple[Json, Path]] = []
    for index, component in enumerate(components):
        here = (*at, index)
        match component.get("type"):
            case Type.FILE if isinstance(component.get("file"), dict):
                found.append((component["file"], (*here, "file")))
            case Type.SECTION if isinstance((component.get("accessory") or {}).get("media"), dict):
                found.append((component["accessory"]["media"], (*here, "accessory", "media")))
            case Type.GALLERY:
                media = [(each.get("media"), number) for number, each in enumerate(component.get("items") or ())]
                found += [(each, (*here, "items", n, "media")) for each, n in media if isinstance(each, dict)]
            case Type.CONTAINER:
                found += _media(component.get("components") or [], (*here, "components"))
    return found


def check_layout(components: list[Json], at: Path, *, v2: bool) -> None:
    """Refuse repeated ids, too many components, and too much text in all of them."""
    form = FormErrors()
    seen: set[str] = set()
    for component, where in _placed(components, at):
        identity = component.get("custom_id")
        if identity is None:
            continue
        if identity in seen:
            form.wrong(
                (*where, "custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"
            )
        seen.add(identity)
    every = walk(components)
    ids = [each["id"] for each in every if each.get("id")]
    if len(ids) != len(set(ids)):
        form.wrong(at, "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
    if v2 and len(every) > V2_COMPONENTS:
        form.wrong(
            at, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", f"The total number of components exceeds {V2_COMPONENTS}"
        )
    if v2 and sum(len(each["content"]) for each in every if each["type"] == Type.TEXT) > V2_TEXT:
        form.wrong(
            at,
            "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
            f"The displayable text size exceeds the maximum size of {V2_TEXT}",
        )
    form.check()


def _placed(components: list[Json], at: Path) -> list[tuple[Json, Path]]:
    """List every component with its path for errors."""
    found: list[tuple[Json, Path]] = []
    for index, component in enumerate(components):
        here = (*at, index)
        found.append((component, here))
        if isinstance(component.get("components"), list):
            found += _placed(component["components"], (*here, "components"))
        for slot in ("accessory", "component"):
            if isinstance(component.get(slot), dict):
                found.append((component[slot], (*here, slot)))
    return found


def _check(form: FormErrors, at: Path, component: Json, allowed: frozenset[int]) -> None:
    kind = component.get("type")
    if kind is None:
        form.wrong((*at, "type"), "BASE_TYPE_REQUIRED", "This field is required")
    elif kind not in allowed:
        choices = ", ".join(str(int(each)) for each in sorted(allowed))
        form.wrong((*at, "type"), "UNION_TYPE_CHOICES", f'Value of field "type" must be one of ({choices},).')
    elif check := _CHECKS.get(kind):
        check(form, at, component)


def _row(form: FormErrors, at: Path, row: Json) -> None:
    inner = items(form, (*at, "components"), row.get("components"), least=1, most=5)
    for index, component in enumerate(inner):
        where = (*at, "components", index)
        _check(form, where, component, _IN_ROW)
        if component.get("type") in SELECTS and len(inner) > 1:
            form.wrong(where, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")


def _button(form: FormErrors, at: Path, button: Json) -> None:
    text(form, (*at, "label"), button.get("label"), most=80)
    style = button.get("style")
    if style not in range(1, 7):
        form.wrong((*at, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).")
    if style == LINK:
        text(form, (*at, "url"), button.get("url"), least=1, most=512, required=True)
    elif style != PREMIUM:
        text(form, (*at, "custom_id"), button.get("custom_id"), least=1, most=100, required=True)
    if style in {LINK, PREMIUM} and button.get("custom_id") is not None:
        form.wrong(
            (*at, "custom_id"),
            "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
            "A custom id and url cannot both be specified",
        )
    if style != PREMIUM and not button.get("label") and not button.get("emoji"):
        form.wrong(at, "BUTTON_COMPONENT_MISSING_LABEL_EMOJI", "A button must have a label or an emoji")


def _select(form: FormErrors, at: Path, select: Json) -> None:
    text(form, (*at, "custom_id"), select.get("custom_id"), least=1, most=100, required=True)
    text(form, (*at, "placeholder"), select.get("placeholder"), most=150)
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    number(form, (*at, "min_values"), least, least=0, most=25)
    number(form, (*at, "max_values"), most, least=1, most=25)
    if select.get("type") == Type.SELECT:
        _options(form, at, select, max((each for each in (least, most) if isinstance(each, int)), default=1))


def _options(form: FormErrors, at: Path, select: Json, needed: int) -> None:
    options = items(form, (*at, "options"), select.get("options"), least=max(needed, 1), most=25)
    values: set[str] = set()
    for index, option in enumerate(options):
        where = (*at, "options", index)
        text(form, (*where, "label"), option.get("label"), least=1, most=100, required=True)
        text(form, (*where, "value"), option.get("value"), least=1, most=100, required=True)
        text(form, (*where, "description"), option.get("description"), most=100)
        if option.get("value") in values:
            form.wrong(where, "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
        values.add(str(option.get("value")))
    if sum(bool(option.get("default")) for option in options) > max(needed, 1):
        form.wrong(at, "SELECT_COMPONENT_TOO_MANY_DEFAULTS", "More options are chosen than max_values allows")


def _text_display(form: FormErrors, at: Path, component: Json) -> None:
    text(form, (*at, "content"), component.get("content"), least=1, most=V2_TEXT, required=True)


def _section(form: FormErrors, at: Path, section: Json) -> None:
    for index, each in enumerate(items(form, (*at, "components"), section.get("components"), least=1, most=3)):
        _check(form, (*at, "components", index), each, frozenset({Type.TEXT}))
    accessory = section.get("accessory")
    if not isinstance(accessory, dict):
        form.wrong((*at, "accessory"), "BASE_TYPE_REQUIRED", "This field is required")
    else:
        _check(form, (*at, "accessory"), accessory, frozenset({Type.BUTTON, Type.THUMBNAIL}))


def _container(form: FormErrors, at: Path, container: Json) -> None:
    inner = items(form, (*at, "components"), container.get("components"), least=1, most=V2_COMPONENTS)
    for index, each in enumerate(inner):
        _check(form, (*at, "components", index), each, _IN_CONTAINER)


def _gallery(form: FormErrors, at: Path, gallery: Json) -> None:
    items(form, (*at, "items"), gallery.get("items"), least=1, most=10)


def _file(form: FormErrors, at: Path, component: Json) -> None:
    shown = component.get("file")
    if not isinstance(shown, dict):
        form.wrong((*at, "file"), "BASE_TYPE_REQUIRED", "This field is required")
    elif not str(shown.get("url", "")).startswith(("attachment://", "http")):
        form.wrong((*at, "file", "url"), "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('attachment',).")


def _text_input(form: FormErrors, at: Path, component: Json) -> None:
    text(form, (*at, "custom_id"), component.get("custom_id"), least=1, most=100, required=True)
    number(form, (*at, "min_length"), component.get("min_length"), least=0, most=4000)
    number(form, (*at, "max_length"), component.get("max_length"), least=1, most=4000)
    most = component.get("max_length")
    text(form, (*at, "value"), component.get("value"), most=most if isinstance(most, int) else 4000)
    text(form, (*at, "placeholder"), component.get("placeholder"), most=100)
    if component.get("style") not in {1, 2}:
        form.wrong((*at, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2).")


def _label(form: FormErrors, at: Path, label: Json) -> None:
    text(form, (*at, "label"), label.get("label"), least=1, most=45, required=True)
    text(form, (*at, "description"), label.get("description"), most=100)
    inner = label.get("component")
    if not isinstance(inner, dict):
        form.wrong((*at, "component"), "BASE_TYPE_REQUIRED", "This field is required")
    else:
        _check(form, (*at, "component"), inner, _IN_LABEL)


_CHECKS: Mapping[int, Check] = {
    Type.ROW: _row,
    Type.BUTTON: _button,
    **dict.fromkeys(SELECTS, _select),
    Type.TEXT: _text_display,
    Type.SECTION: _section,
    Type.CONTAINER: _container,
    Type.GALLERY: _gallery,
    Type.FILE: _file,
    Type.TEXT_INPUT: _text_input,
    Type.LABEL: _label,
}


def check_modal(data: Json) -> None:
    """Refuse a modal that Discord would refuse."""
    form, at = FormErrors(), ("data",)
    refuse_misshapen(data, MODAL, at)
    text(form, (*at, "custom_id"), data.get("custom_id"), least=1, most=100, required=True)
    text(form, (*at, "title"), data.get("title"), least=1, most=45, required=True)
    components = items(form, (*at, "components"), data.get("components"), least=1, most=5)
    for index, component in enumerate(components):
        where = (*at, "components", index)
        if component.get("type") == Type.ROW:
            _modal_row(form, where, component)
        else:
            _check(form, where, component, _IN_MODAL)
    form.check()
    check_layout(components, (*at, "components"), v2=False)


def _modal_row(form: FormErrors, at: Path, row: Json) -> None:
    inner = items(form, (*at, "components"), row.get("components"), least=1, most=1)
    for index, each in enumerate(inner):
        where = (*at, "components", index)
        _check(form, where, each, frozenset({Type.TEXT_INPUT}))
        text(form, (*where, "label"), each.get("label"), least=1, most=45, required=True)
