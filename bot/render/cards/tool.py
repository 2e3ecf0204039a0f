"""The card of a tool call: exactly what would run, warnings, and buttons."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot import risk
from bot.masking import MaskedText, find_secrets, mask_for_card
from bot.messages import OPTION_LIMIT, Accent, AttachedFile, Button, Buttons, File, Message, Option, Select, Style, Text
from bot.permission_requests import card_forms, urls
from bot.permission_requests.cached import cached
from bot.permission_requests.card_button_ids import custom_id
from bot.permission_requests.diff import difference_from
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.rule_offers import Offer, offers
from bot.permission_requests.ticket import Open, Ticket
from bot.permission_requests.tool_input import (
    CallMcp,
    EditCell,
    EditFile,
    FetchPage,
    Json,
    ReadFile,
    RunCommand,
    UseTool,
    WriteFile,
)
from bot.render.cards import frame
from bot.risk.project_paths import relative
from bot.text.bidi import MARK
from bot.text.code_block import CodeBlock, code_block, inline_code
from bot.text.escape import escape_line, one_line
from bot.text.hidden_characters import hidden_note, not_ascii_note
from bot.text.truncate import truncate, utf16_length

MAX_EXCERPT = 1000
MAX_WARNING = 120
MAX_EXTRA = 300
MAX_PATH = 160
MAX_PROMPT = 200
MAX_HOST = 100


@dataclass(frozen=True, slots=True)
class _Content:
    """The parts of the card that depend on the action."""

    title: str
    body: str
    """The command, the diff or the arguments."""
    language: str
    attached_as: str
    above: str = ""
    """A line of markdown above the body, such as the path."""
    details: tuple[str, ...] = ()
    extra: Json | None = None
    notes: tuple[str, ...] = ()
    complete: bool = True
    """False if part of the input is not on the card, so the full input must be attached."""


def draw(ticket: Ticket) -> Message:
    request = ticket.request
    warnings = request.warnings
    content, masked = _masked(request)
    hides = any(each.hides or (warnings and each.shortened) for each in masked)
    head = frame.head(ticket, content.title)
    below = list(_lines_below(request))
    if warnings and isinstance(ticket.state, Open):
        below.append(_warning_lines(warnings))
        if ticket.origin.second_person:
            below.append(_second_person_note(ticket.origin.prompted_by))
    if hides and isinstance(ticket.state, Open):
        below.append(frame.HIDES)
    outcome, edited = frame.outcome(ticket)
    panel = _panel(ticket, () if masked else offers(request))
    fixed = (head.markdown, content.above, *below, outcome, panel.text)
    body = _body(request, frame.room_left(*fixed) - 200)
    files, unseen = _files(request, body)
    parts: list[frame.Part] = [head, Text("\n".join(filter(None, (content.above, body.markdown))))]
    parts += [AttachedFile(file.name) for file in files]
    parts += [Text(text) for text in (*below, unseen, outcome) if text]
    if edited is not None:
        files = (*files, edited)
        parts.append(AttachedFile(edited.name))
    if isinstance(ticket.state, Open):
        cautious = bool(warnings or unseen or hides)
        parts += panel.parts or [Buttons(tuple(_buttons(ticket, cautious=cautious, unmasked=not masked)))]
        if hides:
            parts.append(frame.show_original(ticket))
    waiting = Accent.WARNING if warnings or unseen or hides else Accent.WAITING
    return frame.message(ticket, parts, frame.accent(ticket, waiting), files, already_masked=True)


def originals(request: PermissionRequest) -> dict[str, str]:
    """Return the unmasked texts of the card and its files, by file name."""
    content = _content(request)
    return {content.attached_as: content.body, "input.json": frame.readable(request.input)}


def holds_secret(request: PermissionRequest) -> bool:
    """Check whether the card hides part of the request. If so, it can only be allowed or denied unchanged."""
    return bool(_masked(request)[1])


@cached
def _masked(request: PermissionRequest) -> tuple[_Content, tuple[MaskedText, ...]]:
    """Mask secrets before any text is cut, escaped or compressed. Also return the texts that had some."""
    content = _content(request)
    lines = (content.above, *content.details, *content.notes)
    masked = (mask_for_card(content.body), *map(mask_for_card, lines))
    body, above, *rest = (each.text for each in masked)
    details, notes = tuple(rest[: len(content.details)]), tuple(rest[len(content.details) :])
    notes = (hidden_note(content.body), *notes)
    shown = replace(content, title=escape_line(content.title, 80), body=body, above=above, details=details, notes=notes)
    attached = [frame.readable(given) for given in _attached_inputs(request, content)]
    return shown, tuple(each for each in (*masked, *map(mask_for_card, attached)) if each.shortened or each.hides)


def _attached_inputs(request: PermissionRequest, content: _Content) -> Iterator[Json]:
    """Yield the inputs that the card or its files show in addition to the body."""
    if content.extra:
        yield content.extra
    if content.extra or not content.complete:
        yield request.input


@cached
def _content(request: PermissionRequest) -> _Content:
    match request.action:
        case RunCommand() as command:
            return _command_content(request, command)
        case EditFile() | WriteFile() | EditCell() as change:
            return _change_content(request, change)
        case ReadFile(path=path, extra=extra):
            return _Content(
                "Read a file", path, "", "path.txt", extra=extra, notes=(_link_note(request), not_ascii_note(path))
            )
        case FetchPage(url=url, prompt=prompt, extra=extra):
            short = utf16_length(prompt) <= MAX_PROMPT and not find_secrets(prompt)
            details = (
                _host_line(url),
                f"Prompt: {escape_line(prompt, MAX_PROMPT)}" if short and prompt.strip() else "",
            )
            rest = extra if short else {"prompt": prompt, **extra}
            return _Content(
                "Fetch a web page", url, "", "url.txt", details=details, extra=rest, notes=(not_ascii_note(url),)
            )
        case CallMcp(server=server, tool=tool, arguments=arguments):
            title = f"Use {tool}"
            above = f"MCP server {inline_code(server, 60)}, tool {inline_code(tool, 60)}"
            return _Content(title, frame.readable(arguments), "json", "input.json", above)
        case UseTool(tool=tool, arguments=arguments):
            return _Content(f"Use {tool}", frame.readable(arguments), "json", "input.json")
    raise AssertionError(request.action)  # questions and plans have cards of their own


def _command_content(request: PermissionRequest, action: RunCommand) -> _Content:
    details = [
        escape_line(action.description, 200),
        f"in {inline_code(request.origin.folder, 120)}",
        f"timeout {_duration(action.timeout_ms)}" if action.timeout_ms is not None else "",
        "keeps running in the background" if action.background else "",
    ]
    return _Content(
        "Run a command in the background" if action.background else "Run a command",
        action.command,
        "sh",
        "command.sh",
        details=(details[0], " · ".join(filter(None, details[1:]))),
        extra=action.extra,
        notes=(not_ascii_note(action.command), request.unchecked),
    )


def _change_content(request: PermissionRequest, action: EditFile | WriteFile | EditCell) -> _Content:
    found = difference_from(action, request.file)
    path = relative(action.path, request.origin.folder)
    titles = {"new file": "Create a file", "overwrites the file": "Overwrite a file", "writes the file": "Write a file"}
    cell = action.cell if isinstance(action, EditCell) else ""
    shown = inline_code(path, MAX_PATH)
    named = f" · cell id {inline_code(cell, MAX_PATH)}" if cell else ""
    return _Content(
        titles.get(found.kind, "Change a notebook" if isinstance(action, EditCell) else "Change a file"),
        found.text,
        "diff" if found.is_diff else "",
        "change.diff" if found.is_diff else "content.txt",
        f"{shown}: {escape_line(found.kind, 120)}{named}",
        extra=action.extra,
        notes=(*found.notes, _link_note(request), not_ascii_note(path), not_ascii_note(cell)),
        complete=_fits_in_line(path) and _fits_in_line(cell),
    )


def _fits_in_line(short: str) -> bool:
    """Check whether a path or an id fits in one line."""
    return utf16_length(short) < MAX_PATH - 20 and "…" not in inline_code(short, MAX_PATH)


def _link_note(request: PermissionRequest) -> str:
    leads_to = request.file.leads_to
    return (
        f"This path is a link that leads to {inline_code(relative(leads_to, request.origin.folder), MAX_PATH)}"
        if leads_to
        else ""
    )


@cached
def _lines_below(request: PermissionRequest) -> tuple[str, ...]:
    content, _ = _masked(request)
    extra = f"Also in the request:\n{_extra_block(request).markdown}" if content.extra else ""
    lines = frame.subtext([*content.details, *(truncate(note, 220) for note in content.notes if note)])
    return tuple(filter(None, (extra, lines)))


def _body(request: PermissionRequest, room: int) -> CodeBlock:
    """Show the body, or only its head and tail if it does not fit; the full text is then attached."""
    full = _full_body(request)
    if full.complete and utf16_length(full.markdown) <= room:
        return full
    return _excerpt(request) if room >= MAX_EXCERPT else _block(request, room)


@cached
def _full_body(request: PermissionRequest) -> CodeBlock:
    return _block(request, frame.MAX_TEXT)


@cached
def _excerpt(request: PermissionRequest) -> CodeBlock:
    return _block(request, MAX_EXCERPT)  # more would fill three screens of a phone


def _block(request: PermissionRequest, room: int) -> CodeBlock:
    content, _ = _masked(request)
    return code_block(content.body, content.language, room, content.attached_as)


@cached
def _extra_block(request: PermissionRequest) -> CodeBlock:
    return code_block(
        mask_for_card(frame.readable(_content(request).extra or {})).text, "json", MAX_EXTRA, "input.json"
    )


@cached
def _full_input(request: PermissionRequest) -> str:
    return mask_for_card(frame.readable(request.input)).text


def _files(request: PermissionRequest, body: CodeBlock) -> tuple[tuple[File, ...], str]:
    content, _ = _masked(request)
    wanted = {}
    if not body.complete or MARK in body.markdown:  # we added the direction marks; the file is a copy without them
        wanted[content.attached_as] = content.body
    if not content.complete or (content.extra and not _extra_block(request).complete):
        wanted["input.json"] = _full_input(request)
    made = [frame.attach(name, text) for name, text in wanted.items()]
    return tuple(file for file, _ in made if file is not None), "\n".join(said for _, said in made if said)


def _buttons(ticket: Ticket, *, cautious: bool, unmasked: bool) -> Iterator[Button]:
    yield frame.button(ticket, "allow", "Allow", Style.SECONDARY if cautious else Style.SUCCESS)
    yield frame.button(ticket, "deny", "Deny", Style.DANGER)
    yield frame.button(ticket, "why", "Deny…")
    if unmasked and card_forms.edit_inputs(ticket.request):
        yield frame.button(ticket, "edit", "Edit…")
    if unmasked and offers(ticket.request):
        yield frame.button(ticket, "always", "Always…")


@dataclass(frozen=True, slots=True)
class _Panel:
    """The part of the card where a person chooses a rule."""

    text: str = ""
    parts: tuple[frame.Part, ...] = ()


def _panel(ticket: Ticket, offered: tuple[Offer, ...]) -> _Panel:
    if not isinstance(ticket.state, Open) or ticket.draft.panel != "always" or not offered:
        return _Panel()
    lines = ["**What should Claude stop asking about?**"]
    seen = set()
    for offer in offered:
        if offer.rule not in seen:
            seen.add(offer.rule)
            lines.append(f"{inline_code(str(offer.rule), 80)}: {escape_line(offer.words, 90)}")
            lines.append(
                f"-# allows {inline_code(offer.allows, 70)}, still asks for {inline_code(offer.still_asks, 70)}"
            )
    text = "\n".join(lines)
    options = tuple(
        Option(offer.id, truncate(one_line(str(offer.rule)), OPTION_LIMIT), f"in this {offer.scope.value}")
        for offer in offered
    )
    select = Select(custom_id(ticket.id, "rule", ticket.version), options, "Allow this, and always allow…")
    return _Panel(text, (Text(text), select, Buttons((frame.button(ticket, "back", "Back"),))))


def _warning_lines(warnings: tuple[risk.RiskWarning, ...]) -> str:
    """Show each kind of warning once, most serious first: many of one kind must not push another off the card."""
    kinds: dict[risk.WarningKind, list[risk.RiskWarning]] = {}
    for warning in warnings:
        kinds.setdefault(warning.kind, []).append(warning)
    return "\n".join(
        f"⚠️ {escape_line(str(one), MAX_WARNING)}" + (f" and {len(others)} more" if others else "")
        for one, *others in kinds.values()
    )


def _second_person_note(asker: int | None) -> str:
    who = f"<@{asker}>" if asker is not None else "whoever wrote last"
    return f"👥 Someone other than {who} must allow this."


def _host_line(url: str) -> str:
    address = urls.read(url)
    if address is None:
        return "This is not a regular web address."
    drawn = f", displayed as {inline_code(address.foreign, MAX_HOST)}" if address.foreign else ""
    cut = "…" * (utf16_length(address.host) > MAX_HOST)
    return f"from {inline_code(cut + address.host[-MAX_HOST:])}{drawn}"  # the end of a host name shows who owns it


def _duration(milliseconds: float) -> str:
    seconds = milliseconds / 1000
    return f"{seconds / 60:.3g} min" if seconds >= 60 else f"{seconds:.3g} s"
