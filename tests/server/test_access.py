"""Who is let in: tokens, roles, hosts, origins, cookies; and with which headers answers go out."""

import http.client
import os

import pytest

import nabi
from nabi.errors import InputError
from nabi.server.http.serving import check_transport
from nabi.server.http.tokens import TokenFile, Tokens, add_token, remove_token
from served import served

ASKED = {"texts": ["good"]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("access") / "model.nabi"
    nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"]).save(path)
    with served(model=str(path)) as server:
        yield server


def code(answer):
    return answer["error"]["code"]


# ---- tokens ----


def test_a_request_without_a_token_is_refused(server):
    status, headers, answer = server.asked("POST", "/predict", ASKED, token=None)
    assert (status, code(answer)) == (401, "no_token")
    assert headers["WWW-Authenticate"] == 'Bearer realm="nabi"'
    assert "send `Authorization: Bearer TOKEN`" in answer["error"]["message"]


@pytest.mark.parametrize("token", ["wrong", "x" * 43, "ü"])
def test_a_wrong_token_is_refused(server, token):
    status, answer = server.ask("POST", "/predict", ASKED, token=token.encode().decode("latin-1"))
    assert (status, code(answer)) == (401, "wrong_token")
    assert answer["error"]["message"] == "the token is not known to this server; check it"


def test_another_scheme_than_bearer_is_refused(server):
    given = f"Basic {server.tokens.owner}"
    assert server.ask("POST", "/predict", ASKED, token=None, Authorization=given)[0] == 401


def test_the_token_is_in_a_file_that_others_cannot_read(server):
    assert server.token_file.stat().st_mode & 0o777 == 0o600
    assert server.token_file.read_text().strip() == server.tokens.owner
    assert len(server.tokens.owner) == 43  # 256 bits


def test_a_token_file_that_others_can_read_is_refused(tmp_path):
    path = tmp_path / "token"
    path.write_text("x" * 43)
    path.chmod(0o644)
    with pytest.raises(InputError, match=f"mode 644, so that others can read it; chmod 600 {path}"):
        Tokens(path)


def test_health_needs_no_token(server):
    assert server.ask("GET", "/livez", token=None) == (200, {"status": "live"})
    ready = {"position": 0, "status": "ready"}
    assert server.ask("GET", "/readyz", token=None) == (200, ready)


def test_the_list_of_tokens_is_read_again_when_it_changes(tmp_path):
    tokens = Tokens(tmp_path / "token", tmp_path / "tokens")
    secret = add_token(TokenFile(tmp_path / "tokens"), "anna", "label").encode()
    assert tokens.find(secret) is None
    tokens.refresh()
    assert (tokens.find(secret).name, tokens.find(secret).role) == ("anna", "label")
    remove_token(TokenFile(tmp_path / "tokens"), "anna")
    tokens.refresh()
    assert tokens.find(secret) is None


def test_the_list_of_tokens_holds_digests_alone(tmp_path):
    secret = add_token(TokenFile(tmp_path / "tokens"), "anna", "read")
    assert secret not in (tmp_path / "tokens").read_text()
    assert (tmp_path / "tokens").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="there is a token 'anna' already"):
        add_token(TokenFile(tmp_path / "tokens"), "anna", "read")


# ---- browsers ----


def login(server, **more):
    return server.asked("POST", "/session", {"token": server.tokens.owner}, token=None, **more)


def test_a_browser_swaps_the_token_for_a_cookie(server):
    status, headers, answer = login(server)
    cookie = headers["Set-Cookie"]
    assert (status, answer) == (200, {"name": "owner", "role": "admin"})
    assert cookie.startswith(f"nabi-{server.port}=owner.")
    assert cookie.endswith("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict")
    assert server.tokens.owner not in cookie
    sent = {"Cookie": cookie.split(";")[0], "Content-Type": "application/json"}
    assert server.ask("POST", "/predict", ASKED, token=None, **sent)[0] == 200


@pytest.mark.parametrize(
    "change", [lambda c: c[:-1] + "0" * (c[-1] != "0") + "1", lambda c: "x.1.2"]
)
def test_a_forged_cookie_is_refused(server, change):
    name, _, value = login(server)[1]["Set-Cookie"].split(";")[0].partition("=")
    status, answer = server.ask("GET", "/session", token=None, Cookie=f"{name}={change(value)}")
    assert (status, code(answer)) == (401, "wrong_token")


def test_with_a_cookie_only_json_is_taken(server):
    cookie = login(server)[1]["Set-Cookie"].split(";")[0]
    sent = {"Cookie": cookie, "Content-Type": "text/plain"}
    status, answer = server.ask("POST", "/predict", ASKED, token=None, **sent)
    assert (status, code(answer)) == (415, "not_json")


def test_a_cookie_outlives_a_restart_and_ends_with_its_token(tmp_path):
    secret = add_token(TokenFile(tmp_path / "tokens"), "anna", "label").encode()
    first = Tokens(tmp_path / "token", tmp_path / "tokens")
    cookie = first.session(first.find(secret))
    assert Tokens(tmp_path / "token", tmp_path / "tokens").of_session(cookie).name == "anna"
    remove_token(TokenFile(tmp_path / "tokens"), "anna")
    assert Tokens(tmp_path / "token", tmp_path / "tokens").of_session(cookie) is None


# ---- hosts and origins ----


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "", "["])
def test_another_host_is_refused(server, host):
    status, answer = server.ask("POST", "/predict", ASKED, Host=host)
    assert (status, code(answer)) == (421, "wrong_host")
    assert "which is no name of this server" in answer["error"]["message"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:80"])
def test_names_of_this_machine_are_taken(server, host):
    assert server.ask("POST", "/predict", ASKED, Host=host)[0] == 200


CROSS_SITE = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},  # another port is another origin
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("sent", CROSS_SITE)
def test_what_a_page_of_another_site_sends_is_refused(server, sent):
    status, answer = server.ask("POST", "/predict", ASKED, **sent)
    assert (status, code(answer)) == (403, "cross_site")
    assert "comes from a page of another site" in answer["error"]["message"]


def test_what_the_own_page_sends_is_taken(server):
    sent = {"Origin": server.address, "Sec-Fetch-Site": "same-origin"}
    assert server.ask("POST", "/predict", ASKED, **sent)[0] == 200


def test_a_header_that_comes_twice_is_refused(server):
    one = http.client.HTTPConnection("127.0.0.1", server.port)
    one.putrequest("GET", "/livez")
    one.putheader("Host", "127.0.0.1")
    one.endheaders()
    response = one.getresponse()
    assert (response.status, b"repeated_header" in response.read()) == (400, True)
    one.close()


# ---- what answers carry ----


def test_answers_are_not_kept_run_or_framed(server):
    _, headers, _ = server.asked("POST", "/predict", ASKED)
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Server" not in headers


def test_pages_run_their_own_scripts_alone(server):
    status, headers, page = server.asked("GET", "/docs", token=None)
    policy = headers["Content-Security-Policy"]
    assert (status, "<title>nabi: the API</title>" in page) == (200, True)
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/app.py", "/page/../app.py"]
)
def test_no_path_leads_out_of_the_pages(server, path):
    status, answer = server.ask("GET", path, token=None)
    assert (status, code(answer)) == (404, "no_such_path")


# ---- networks ----


def test_a_network_address_needs_tls():
    with pytest.raises(InputError, match="give --cert and --key, or --insecure-http"):
        check_transport("0.0.0.0", None, None, insecure=False)
    check_transport("0.0.0.0", None, None, insecure=True)
    check_transport("127.0.0.1", None, None, insecure=False)


def test_a_certificate_needs_its_key():
    with pytest.raises(InputError, match="--cert and --key belong together"):
        check_transport("127.0.0.1", "cert.pem", None, insecure=False)


def test_no_file_is_left_behind_by_a_new_token(server):
    assert sorted(os.listdir(server.token_file.parent)) == ["model.nabi", "model.nabi.token"]
