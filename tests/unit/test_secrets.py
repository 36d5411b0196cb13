"""What looks like a secret is replaced in exports; of the rest nothing is."""

from __future__ import annotations

import pytest

from mailstop.exports.secrets import Scrubber, patterns

# Put together here, so that no scanner of this repository takes them for real ones.
X, DIGITS = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k", "0123456789abcdef" * 4
EXAMPLES = {
    "private key": "-----BEGIN OPENSSH PRIVATE " + f"KEY-----\n{X}\n-----END OPENSSH PRIVATE " + "KEY-----",
    "Anthropic key": "sk-" + f"ant-api03-{X}",
    "OpenAI key": "sk-" + f"proj-{X}",
    "GitHub token": "ghp" + f"_{X}",
    "GitLab token": "glpat" + f"-{X}",
    "AWS key": "AKIA" + "ABCDEFGHIJKLMNOP",
    "Google key": "AIza" + f"Sy{X}",
    "Google OAuth token": "ya29" + f".{X}",
    "Slack token": "xoxb" + f"-123456789012-{X}",
    "Slack webhook": "https://hooks.slack.com/" + f"services/T000/B000/{X}",
    "Discord webhook": "https://discord.com/" + f"api/webhooks/123456/{X}",
    "Stripe key": "sk" + f"_live_{X}",
    "npm token": "npm" + f"_{X}",
    "PyPI token": "pypi" + f"-{X}{X}",
    "crates.io token": "cio" + X[:32],
    "RubyGems key": "rubygems" + f"_{DIGITS}",
    "Hugging Face token": "hf" + f"_{X}",
    "SendGrid key": "SG" + f".{X[:22]}.{X}",
    "Twilio key": "SK" + DIGITS[:32],
    "Telegram bot token": "1234567890" + f":AA{X}",
    "DigitalOcean token": "dop" + f"_v1_{DIGITS}",
    "Docker token": "dckr" + f"_pat_{X}",
    "HashiCorp Vault token": "hvs" + f".{X}",
    "age secret key": "AGE-SECRET" + "-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
    "Azure key": "AccountKey" + f"={X}==",
    "JSON web token": "eyJ" + f"hbGciOiJI.eyJ{X}.{X}",
    "mailstop token": "mailstop" + f"_0123abcd_{DIGITS}",
    "authorization header": "Authorization: Bearer " + X,
    "cookie": "Cookie: session=" + X,
    "password in a URL": "postgres://ann:" + "hunter2secret@db.example/mail",
    "secret after its name": 'DB_PASSWORD="' + 'correct horse"',
}
HARMLESS = (
    "see src/app.py:42 and https://example.com/a?b=c#d",
    "the password is in the vault; ask for a token, not for the secret",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "id 019ad0c2-7f6b-7a31-9c55-0123456789ab",
    "run `mailstop send builder -` and read task-sk-1",
    "api_key = ${API_KEY}",
    "http://127.0.0.1:8471/mcp",
)


def test_each_pattern_has_an_example_here() -> None:
    assert [name for name, _, _ in patterns()] == list(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_looks_like_a_secret_is_replaced_and_counted_by_its_kind(name: str) -> None:
    scrubber = Scrubber()
    secret = EXAMPLES[name]

    text = scrubber.text(f"take this:\n{secret}\nand go on")

    assert scrubber.counts == {name: 1}
    assert f"[removed: {name}]" in text
    assert X[-12:] not in text and "hunter2" not in text and "correct horse" not in text
    assert text.startswith("take this:\n") and text.endswith("\nand go on")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_does_not_look_like_one_stays(text: str) -> None:
    scrubber = Scrubber()

    assert (scrubber.text(text), scrubber.counts) == (text, {})


@pytest.mark.parametrize(
    "unit", ["password", "-----BEGIN PRIVATE KEY-----", "a=b;cookie:x=", "://a:", "eyJaaaaaaaa.", "A_"]
)
@pytest.mark.timeout(20)
def test_the_largest_text_of_what_looks_most_like_secrets_is_gone_through(unit: str) -> None:
    text = unit * (256 * 1024 // len(unit))

    assert Scrubber().text(text)
