"""A plan put into the words of each protocol: Anthropic Messages and OpenAI Responses, whole or as stream events."""

from __future__ import annotations

import json
import time

from mailstop.scripted.plan import Call, Json, Plan
from mailstop.scripted.request import CALL_MARK

_MESSAGES_USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}
_RESPONSES_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15,
}


def message(number: int, model: str, plan: Plan) -> Json:
    """The answer to request `number` as one Anthropic message."""
    content: list[Json] = [
        {"type": "tool_use", "id": f"toolu_{CALL_MARK}_{number}_{place}", "name": name, "input": arguments}
        for place, (name, arguments) in enumerate(map(_claude_call, plan.calls))
    ]
    return {
        "id": f"msg_{CALL_MARK}_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content or [{"type": "text", "text": plan.text}],
        "stop_reason": "end_turn" if plan.is_final else "tool_use",
        "stop_sequence": None,
        "usage": _MESSAGES_USAGE,
    }


def message_events(whole: Json) -> list[Json]:
    """The same message as stream events."""
    events: list[Json] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            opening: Json = {**block, "text": ""}
            delta: Json = {"type": "text_delta", "text": block["text"]}
        else:
            opening = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": opening},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}})
    events.append({"type": "message_stop"})
    return events


def response_events(number: int, model: str, plan: Plan) -> list[Json]:
    """The answer to request `number` as stream events of OpenAI Responses."""
    items = [_response_call(number, place, call) for place, call in enumerate(plan.calls)]
    items = items or [_response_text(number, plan.text)]
    response: Json = {
        "id": f"resp_{CALL_MARK}_{number}",
        "object": "response",
        "created_at": int(time.time()),
        "model": model,
        "output": [],
    }
    events: list[Json] = [{"type": "response.created", "response": {**response, "status": "in_progress"}}]
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            events.append({"type": "response.output_text.delta", **place, "delta": plan.text})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    whole = {**response, "status": "completed", "output": items, "usage": _RESPONSES_USAGE}
    events.append({"type": "response.completed", "response": whole})
    return events


def _claude_call(call: Call) -> tuple[str, Json]:
    if (command := call.shell_command) is not None:
        return "Bash", {"command": command, "description": "a scripted command"}
    return call.tool, call.arguments


def _codex_call(call: Call) -> tuple[str, Json]:
    if (command := call.shell_command) is not None:
        # Without yield_time_ms Codex gives the model an unfinished command back after 10 s.
        return "exec_command", {"cmd": command, "yield_time_ms": 30_000}
    return call.tool, call.arguments


def _response_call(number: int, place: int, call: Call) -> Json:
    tool, arguments = _codex_call(call)
    namespace, _, name = tool.rpartition("/")
    item: Json = {
        "type": "function_call",
        "id": f"fc_{CALL_MARK}_{number}_{place}",
        "call_id": f"call_{CALL_MARK}_{number}_{place}",
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }
    return {**item, "namespace": namespace} if namespace else item


def _response_text(number: int, text: str) -> Json:
    return {
        "type": "message",
        "id": f"msg_{CALL_MARK}_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
