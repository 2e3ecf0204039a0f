"""Checks for single fields of a body."""

from sandbox.discord.errors import FormErrors, Json

Path = tuple[str | int, ...]


def text(form: FormErrors, at: Path, value: object, *, least: int = 0, most: int, required: bool = False) -> None:
    """Report a value that is not a string of an allowed length."""
    if value is None:
        if required:
            form.wrong(at, "BASE_TYPE_REQUIRED", "This field is required")
    elif not isinstance(value, str):
        form.wrong(at, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
    elif least and not least <= len(value) <= most:
        if not value:
            form.wrong(at, "BASE_TYPE_REQUIRED", "This field is required")
        else:
            form.wrong(at, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
    elif len(value) > most:
        form.wrong(at, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")


def items(form: FormErrors, at: Path, value: object, *, least: int = 0, most: int) -> list[Json]:
    """Return a list of objects; report anything else, or a wrong length, as an error."""
    if value is None:
        value = []
    if not isinstance(value, list):
        form.wrong(at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        return []
    if least and not least <= len(value) <= most:
        form.wrong(at, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
    elif len(value) > most:
        form.wrong(at, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
    found: list[Json] = []
    for number, each in enumerate(value):
        if isinstance(each, dict):
            found.append(each)
        else:
            form.wrong((*at, number), "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    return found


def number(form: FormErrors, at: Path, value: object, *, least: int, most: int) -> None:
    if value is None:
        return
    if not isinstance(value, int):
        form.wrong(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
    elif value < least:
        form.wrong(at, "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {least}.")
    elif value > most:
        form.wrong(at, "NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
