from bot.events import (
    Assistant,
    BlockStopped,
    Init,
    MessageStarted,
    Remark,
    Result,
    TaskEnded,
    TaskStarted,
    TaskUpdated,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ToolResult,
    ToolUse,
    Usage,
    User,
)
from bot.transcript import (
    AnswerText,
    CallState,
    LookupGroup,
    Notice,
    PreviousTurn,
    Slot,
    SubagentGroup,
    Todo,
    Todos,
    ToolCall,
    Turn,
    starts_turn,
)


def said(
    message: str, *blocks: TextBlock | ThinkingBlock | ToolUse, parent: str | None = None, uuid: str = ""
) -> Assistant:
    return Assistant(message, "m", blocks, parent=parent, uuid=uuid)


def got(id_: str, text: str = "", *, error: bool = False, **more: object) -> User:
    return User((ToolResult(id_, error, text, more or None),))


def use(id_: str, name: str = "Bash", **fields: object) -> ToolUse:
    return ToolUse(id_, name, fields)


def turn(*events: object) -> Turn:
    made = Turn()
    for event in events:
        made.apply(event)  # type: ignore[arg-type]
    return made


def texts(made: Turn) -> list[str]:
    return [item.text for item in made.items if isinstance(item, AnswerText)]


def test_the_finished_block_takes_the_place_of_its_pieces():
    made = turn(
        MessageStarted("1", "m", Usage()), TextDelta(0, "Hel"), TextDelta(0, "lo"), said("1", TextBlock("Hello"))
    )
    assert texts(made) == ["Hello"]


def test_two_blocks_of_a_message_find_their_own_pieces():
    made = turn(
        MessageStarted("1", "m", Usage()),
        TextDelta(0, "one"),
        TextDelta(1, "tw"),
        said("1", TextBlock("one")),
        said("1", TextBlock("two")),
    )
    assert texts(made) == ["one", "two"]


def test_a_line_that_is_read_twice_counts_once():
    made = turn(said("1", TextBlock("a"), uuid="u"), said("1", TextBlock("a"), uuid="u"))
    assert texts(made) == ["a"]


def test_text_that_the_cli_gave_up_is_taken_back_when_it_starts_anew():
    made = turn(
        MessageStarted("1", "m", Usage()), TextDelta(0, "A sentence that br"), MessageStarted("2", "m", Usage())
    )
    assert texts(made) == []
    finished = turn(
        MessageStarted("1", "m", Usage()), TextDelta(0, "Whole."), BlockStopped(0), MessageStarted("2", "m", Usage())
    )
    assert texts(finished) == ["Whole."]


def test_what_a_fallback_retracts_disappears():
    made = turn(said("1", TextBlock("refused"), uuid="u1"), Remark("Fell back.", retracted=("u1",)))
    assert texts(made) == []
    assert isinstance(made.items[-1], Notice)


def test_a_tool_settles_with_its_result():
    made = turn(said("1", use("a"), use("b"), use("c"), use("d")), got("a"), got("b", "Exit code 2\nno", error=True))
    made.apply(User((ToolResult("c", True, "no", decision="reject"),)))  # noqa: FBT003
    made.apply(got("d", backgroundTaskId="x"))
    states = [item.state for item in made.items if isinstance(item, ToolCall)]
    assert states == [CallState.OK, CallState.FAILED, CallState.DENIED, CallState.BACKGROUND]


def test_a_refusal_by_ticket_is_a_denial_in_old_versions_too():
    made = turn(said("1", use("a")))
    made.place_card("t", "a")
    made.answered("t", allowed=False)
    made.apply(got("a", "Not on a Friday.", error=True))
    assert made.items[0].state is CallState.DENIED  # type: ignore[union-attr]


def test_the_time_that_a_person_took_is_not_the_tools():
    made = Turn(started_at=100)
    made.apply(said("1", use("a")), 100)
    made.place_card("t", "a")
    made.answered("t", at=400)
    made.apply(got("a"), 441)
    call = made.items[0]
    assert isinstance(call, ToolCall)
    assert call.ended_at is not None
    assert call.ended_at - call.started_at == 41


def test_a_result_for_a_call_of_another_turn_changes_nothing():
    made = turn(said("1", TextBlock("a")), got("elsewhere"))
    assert len(made.items) == 1
    assert not made.owns(got("elsewhere"))


def test_looking_around_is_one_item_also_with_thoughts_in_between():
    made = turn(
        said("1", use("a", "Read")),
        got("a"),
        said("2", ThinkingBlock("hm"), use("b", "Grep")),
        got("b", error=True),
        said("3", TextBlock("So."), use("c", "Read")),
    )
    first, second = (item for item in made.items if isinstance(item, LookupGroup))
    assert (len(first.calls), first.failed, first.running) == (2, 1, 0)
    assert (len(second.calls), second.running) == (1, 1)


def test_a_subagents_words_stay_out_of_the_text():
    made = turn(
        said("1", use("a", "Agent", description="Count")),
        said("s", TextBlock("Counting."), use("x", command="ls"), parent="a"),
        said("s", use("y", "Task", description="deeper"), parent="a"),
        said("ss", use("z", command="pwd"), parent="y"),
    )
    (group,) = made.items
    assert isinstance(group, SubagentGroup)
    (agent,) = group.agents
    assert agent.description == "Count"
    assert agent.tool_uses == 3
    assert made.subagent_of("z") == "Count"
    assert made.subagent_of("a") is None
    assert made.knows("x")


def test_a_subagent_goes_on_after_the_turn():
    made = turn(said("1", use("a", "Agent", description="Count")), got("a", status="async_launched"))
    made.apply(TaskStarted("k", "a", "Count", "local_agent"))
    made.apply(Result("success", is_error=False, text="x"))
    ends = TaskEnded("k", "", "completed", "three", tool_uses=4)
    assert made.owns(said("s", TextBlock("three"), parent="a"))
    assert made.owns(ends)
    assert not starts_turn(ends)
    made.apply(TaskUpdated("k", "completed"))
    made.apply(ends)
    agent = made.items[0].agents[0]  # type: ignore[union-attr]
    assert agent.state is CallState.OK
    assert agent.tool_uses == 4


def test_a_turn_begins_by_itself_with_claudes_own_words_only():
    assert starts_turn(MessageStarted("1", "m", Usage()))
    assert starts_turn(said("1", TextBlock("The build is done.")))
    assert starts_turn(Result("error_during_execution", is_error=True))
    assert not starts_turn(said("1", TextBlock("x"), parent="a"))
    assert not starts_turn(Init("s", "/", "m", "default"))
    assert not starts_turn(Result("error_during_execution", is_error=True, terminal_reason="aborted_tools"))


def test_the_list_of_things_to_do_lives_on_in_the_next_turn():
    made = turn(said("1", use("a", "TaskCreate", subject="Read")), got("a", task={"id": "1", "subject": "Read"}))
    assert made.as_previous().todos == (Todo("1", "Read"),)
    following = Turn(previous=made.as_previous())
    following.apply(said("2", use("b", "TaskUpdate", taskId="1", status="completed")))
    following.apply(got("b", "Updated"))
    (todos,) = following.items
    assert isinstance(todos, Todos)
    assert todos.todos == [Todo("1", "Read", "completed")]


def test_a_deleted_task_is_gone_and_an_unknown_one_is_named_by_its_number():
    made = Turn(previous=PreviousTurn(todos=(Todo("1", "Read"),)))
    made.apply(said("1", use("a", "TaskUpdate", taskId="1", status="deleted"), use("b", "TaskUpdate", taskId="9")))
    made.apply(got("a"))
    made.apply(got("b"))
    assert made.as_previous().todos == (Todo("9", "Task 9"),)


def test_cards_find_their_places_in_the_order_of_their_tools():
    made = turn(said("1", use("a"), use("b")))
    made.place_card("second", "b")
    made.place_card("first", "a")
    made.place_card("first", "a")
    kinds = [item.ticket_id if isinstance(item, Slot) else item.id for item in made.items]  # type: ignore[union-attr]
    assert kinds == ["a", "first", "b", "second"]


def test_what_still_runs_when_the_turn_ends_was_stopped():
    made = turn(said("1", use("a")), Result("error_during_execution", is_error=True, terminal_reason="aborted_tools"))
    assert made.items[0].state is CallState.STOPPED  # type: ignore[union-attr]
    assert made.ended is not None
    assert made.over


def test_an_answer_that_only_the_result_carries_is_shown():
    assert texts(turn(Result("success", is_error=False, text="Cost: $1"))) == ["Cost: $1"]


def test_a_model_change_is_worth_a_line():
    made = Turn(previous=PreviousTurn(model="a"))
    made.apply(Init("s", "/", "b", "default"))
    assert [item.text for item in made.items if isinstance(item, Notice)] == ["Model: b"]


def test_a_huge_input_is_not_kept():
    made = turn(said("1", use("a", "Write", file_path="/x", content="x" * 300_000)))
    call = made.items[0]
    assert isinstance(call, ToolCall)
    assert len(call.input["content"]) == 1000
