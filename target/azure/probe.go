package azure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
)

// Service is what a service says of itself.
type Service struct {
	// Server is what it calls itself, printable and no longer than a line takes; empty
	// where it does not say.
	Server string
	// Genuine says that it is the table service: its host is one of it, and so it calls
	// itself. Emulator says that it calls itself one. What is neither does not say what it
	// is.
	Genuine, Emulator bool
	// Limits are those that an emulator holds load to, where LimitsKnown: it tells them, and
	// lets no partition exceed them, or is one that has none.
	Limits      wire.Limits
	LimitsKnown bool
	// Version is the version of the protocol that it answered in.
	Version string
	// Ahead is how far its clock is ahead of this machine's, to a second or so;
	// 0 where it does not say.
	Ahead time.Duration
}

const (
	// probeLimit is how long a probe waits.
	probeLimit = 4 * time.Second
	// mostSkew is how far a request's date may be off.
	mostSkew = 15 * time.Minute
)

// Probe asks the service for one table, or with the shared access signature of
// a table for one entity, and returns what answered. The error is one line that
// says the likely cause and wraps ErrUnreachable, ErrAuthentication, ErrClock,
// ErrNotTables or ErrNoToken; a signature that does not open lists is none, nor is a busy
// service. The probe takes 4 s at
// most, beside what the first token takes.
func (t *Target) Probe(ctx context.Context) (Service, error) {
	a := t.newAttempt()
	defer a.reply.share.Leave()
	if err := t.authorize(ctx, a); err != nil {
		return Service{}, &ProbeError{t.endpoint, nil, err}
	}
	ctx, release := clock.Within(ctx, t.clock, probeLimit, errLate)
	defer release()
	began := t.clock.Now()
	if err := t.ask(ctx, a); err != nil {
		return Service{}, t.unreachable(err)
	}
	if a.reply.status == http.StatusUnauthorized && a.token != nil {
		again, err := t.tokens.Renew(ctx, a.token)
		if err != nil {
			return Service{}, t.fault(ErrAuthentication, "%v%s", err, t.wanted(&a.reply))
		}
		a.token, began = again, t.clock.Now()
		if err := t.ask(ctx, a); err != nil {
			return Service{}, t.unreachable(err)
		}
	}
	ours := t.dates.calendar.Date(began.Add(t.clock.Now().Sub(began) / 2))
	service := identify(t.endpoint.host, t.hide(a.reply.first(serverHeader)))
	service.Version = t.line(a.reply.first(versionHeader))
	if theirs, err := http.ParseTime(a.reply.first(dateHeader)); err == nil {
		service.Ahead = theirs.Sub(ours)
	}
	if err := t.judge(&a.reply, string(a.reply.body), service, ours); err != nil {
		return service, err
	}
	if t.client == Auto && t.proxy == nil && strings.HasPrefix(strings.ToLower(service.Server), "loadgen") {
		t.native.Store(true)
		t.other.Close()
	}
	return service, nil
}

// ask sends the question of a probe, whose reply is in the attempt then.
func (t *Target) ask(ctx context.Context, a *attempt) error {
	a.start(http.MethodGet)
	if only := t.endpoint.prove().signature; only != nil && only.table != "" {
		a.line = append(wire.AppendQueryValue(a.line, only.table), "()"...)
	} else {
		a.line = append(a.line, "Tables"...)
	}
	path := len(a.line)
	a.option("$top=", "1")
	a.finish(0, path)
	return t.exchange(ctx, a)
}

// nextTableHeader tells where a list of tables goes on.
const nextTableHeader = "x-ms-continuation-NextTableName"

// Tables returns the names of the account's tables, 1,000 at most, and where the list goes on:
// empty at its end, and to begin with. The error is one line and wraps what those of Probe
// do. It takes 4 s at most.
func (t *Target) Tables(ctx context.Context, from string) (names []string, next string, err error) {
	a := t.newAttempt()
	defer a.reply.share.Leave()
	if err := t.authorize(ctx, a); err != nil {
		return nil, "", &ProbeError{t.endpoint, nil, err}
	}
	a.start(http.MethodGet)
	a.line = append(a.line, "Tables"...)
	path := len(a.line)
	a.option("NextTableName=", from)
	a.finish(0, path)

	ctx, release := clock.Within(ctx, t.clock, probeLimit, errLate)
	defer release()
	if err := t.exchange(ctx, a); err != nil {
		return nil, "", t.unreachable(err)
	}
	text := string(a.reply.body)
	if a.reply.status != http.StatusOK {
		kind := ErrUnreachable
		if a.reply.status == http.StatusUnauthorized || a.reply.status == http.StatusForbidden {
			kind = ErrAuthentication
		}
		code, _ := t.refusal(&a.reply, text)
		return nil, "", t.fault(kind, "the list of tables was answered %d %s", a.reply.status, code)
	}
	if names, err = wire.ParseTables(nil, text); err != nil {
		return nil, "", t.fault(ErrNotTables, "the list of tables is none: 200 with %s", kindOf(&a.reply, text))
	}
	return names, strings.Clone(a.reply.first(nextTableHeader)), nil
}

// longestServer is how much is kept of what a service calls itself.
const longestServer = 120

// identify says who answers at a host that calls itself so. Anybody can call himself as
// the service does, and a name of one's own can lead to it: host and name have to agree.
func identify(host, header string) Service {
	s := Service{Server: header}
	if strings.ContainsFunc(header, func(c rune) bool { return c < ' ' || c > '~' }) {
		// No service of this kind does that, and no terminal is to have it.
		return Service{}
	}
	if len(s.Server) > longestServer {
		s.Server = s.Server[:longestServer] + "…"
	}
	server := strings.ToLower(header)
	switch {
	case strings.HasPrefix(server, "loadgen"):
		s.Emulator = true
		if limits, tells := wire.ParseServer(header); tells && limits.Headroom == 0 {
			s.Limits, s.LimitsKnown = limits, true
		}
	case strings.HasPrefix(server, "azurite"):
		s.Emulator, s.LimitsKnown = true, true
	case strings.HasPrefix(server, "windows-azure-table/"), strings.HasPrefix(server, "microsoft-httpapi/"):
		s.Genuine = Endpoint{host: host}.Genuine()
	}
	return s
}

// unreachable returns the error for a probe that got no reply.
func (t *Target) unreachable(err error) error {
	kind, hint := ErrUnreachable, ""
	none, cause := noReply(err)
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return t.fault(kind, "the proxy %s (HTTPS_PROXY) is unreachable: %s", t.proxy.Host, cause)
	case errors.Is(err, errNotHTTP):
		kind = ErrNotTables
		hint = "; does the address need https?"
	case none == target.ConnectionRefused:
		hint = "; is the service running, and is the port right?"
	case errors.Is(err, errTLS):
		hint = "; does the address need http, or its certificate to be trusted?"
	}
	return t.fault(kind, "%s%s", cause, hint)
}

// ProbeError is what a probe of a service failed with. It wraps both errors.
type ProbeError struct {
	Endpoint Endpoint
	// Kind is one of the errors of [Target.Probe], nil where Why has it; Why is the cause.
	Kind, Why error
}

// Error implements error: one line.
func (e *ProbeError) Error() string {
	kind := "azure"
	if e.Kind != nil {
		kind = e.Kind.Error()
	}
	return fmt.Sprintf("%s: %v: %v", kind, e.Endpoint, e.Why)
}

// Unwrap returns the kind and the cause.
func (e *ProbeError) Unwrap() []error { return []error{e.Kind, e.Why} }

// fault returns an error of one line.
func (t *Target) fault(kind error, format string, args ...any) error {
	return &ProbeError{t.endpoint, kind, errors.New(t.line(fmt.Sprintf(format, args...)))}
}

// judge returns why a reply to a probe is not that of a usable table service.
func (t *Target) judge(r *reply, text string, s Service, ours time.Time) error {
	if other := otherService(s.Server, t.endpoint.host); other != "" {
		return t.fault(ErrNotTables, "this is the %s service; give the address of the table service", other)
	}
	if r.status == http.StatusOK {
		if _, err := wire.ParseTables(nil, text); err == nil {
			return nil
		}
		if _, err := wire.ParsePage(nil, text); err == nil {
			return nil
		}
		return t.fault(ErrNotTables, "not a table service: 200 with %s", kindOf(r, text))
	}
	code, detail := t.refusal(r, text)
	switch status := r.status; {
	case status == http.StatusProxyAuthRequired:
		return t.fault(ErrUnreachable, "a proxy on the way requires authentication (407); put user and password into HTTPS_PROXY")
	case status == 401, status == 403 && (code != "" || !isPage(r, text)), code == entity.InvalidAuthenticationInfo:
		return t.forbidden(r, status, code, detail, s, ours)
	case code == "", status < 400:
		return t.fault(ErrNotTables, "not a table service: %d with %s", status, kindOf(r, text))
	case status == 429, status >= 500, code == entity.TableNotFound:
		// It is a table service, and load will show how it fares.
		return nil
	case code == entity.ResourceNotFound:
		return t.fault(ErrAuthentication, "the service knows no account %s", t.endpoint.account)
	case isXML(text):
		return t.fault(ErrNotTables, "another service of the account replied: %d %s", status, code)
	default:
		return t.fault(ErrNotTables, "what answers does not list tables: %d %s: %s", status, code, detail)
	}
}

// forbidden returns why the service does not let the account in; nil where it
// did, but lists are closed to the signature.
func (t *Target) forbidden(r *reply, status int, code entity.Code, detail string, s Service, ours time.Time) error {
	by := t.endpoint.prove()
	signature := by.signature
	switch {
	case by.identity != nil:
		return t.unwelcome(r, status, code, detail)
	case signature == nil && (s.Ahead > mostSkew || s.Ahead < -mostSkew):
		pace := "fast"
		if s.Ahead > 0 {
			pace = "slow"
		}
		return t.fault(ErrClock, "this machine's clock is %v %s", s.Ahead.Abs().Round(time.Second), pace)
	case signature == nil && code == entity.AuthenticationFailed:
		return t.fault(ErrAuthentication, "the key is not the account %s's", t.endpoint.account)
	case signature == nil:
		return t.fault(ErrAuthentication, "%d %s: %s", status, code, detail)
	case code == entity.AuthorizationPermission, code == entity.AuthorizationResourceType:
		return nil
	case !signature.expires.IsZero() && signature.expires.Before(ours.Add(s.Ahead)):
		return t.fault(ErrAuthentication, "the shared access signature expired at %s", signature.expires.UTC().Format(time.RFC3339))
	case signature.starts.After(ours.Add(s.Ahead)):
		return t.fault(ErrAuthentication, "the shared access signature is valid from %s", signature.starts.UTC().Format(time.RFC3339))
	case code == entity.AuthenticationFailed:
		return t.fault(ErrAuthentication, "the shared access signature is not valid for the account %s", t.endpoint.account)
	default:
		return t.fault(ErrAuthentication, "the shared access signature lacks permissions: %d %s: %s", status, code, detail)
	}
}

// unwelcome returns why the service does not let in whom Entra ID gave a token.
func (t *Target) unwelcome(r *reply, status int, code entity.Code, detail string) error {
	role := "Storage Table Data Contributor"
	if t.endpoint.Cosmos() {
		role = "Cosmos DB Built-in Data Contributor"
	}
	switch {
	case status == http.StatusUnauthorized:
		return t.fault(ErrAuthentication, "%v%s", ErrTokenRefused, t.wanted(r))
	case code == entity.AuthorizationPermission:
		return t.fault(ErrAuthentication, "the token's identity lacks permission (%d %s); assign the role %s and wait some minutes", status, code, role)
	case code == entity.AuthorizationFailure:
		return t.fault(ErrAuthentication, "%d %s: check the account's firewall and the role %s", status, code, role)
	default:
		return t.fault(ErrAuthentication, "%d %s: %s", status, code, detail)
	}
}

// wanted says whose tokens a service wants that refused one, where it tells.
func (t *Target) wanted(r *reply) string {
	_, rest, says := strings.Cut(r.first(challengeHeader), "authorization_uri=")
	if !says {
		return ""
	}
	whose, _, _ := strings.Cut(strings.Trim(rest, "\""), " ")
	return "; it wants one of " + strings.Trim(whose, "\",")
}

// otherService returns which other service of a storage account answers, judged
// by what it calls itself and by its host's name; empty for none.
func otherService(server, host string) string {
	server = strings.ToLower(server)
	for _, other := range [...]string{"blob", "queue", "file", "dfs", "web"} {
		// Such as Windows-Azure-Blob/1.0 and Azurite-Blob/3.35.0.
		if strings.Contains(server, "azur") && strings.Contains(server, "-"+other+"/") ||
			strings.Contains(host, "."+other+".core.") {
			return other
		}
	}
	return ""
}

// kindOf says what a body that is not a table service's looks like.
func kindOf(r *reply, text string) string {
	switch {
	case isPage(r, text):
		return "a web page"
	case isXML(text):
		return "XML"
	case strings.Contains(text, "HTTP request to an HTTPS server"):
		return "a plain text: the address needs https"
	case text == "":
		return "nothing in it"
	default:
		return "a body of another kind"
	}
}

func isPage(r *reply, text string) bool {
	return strings.HasPrefix(r.first(typeHeader), "text/html") || strings.HasPrefix(strings.TrimSpace(text), "<!")
}

func isXML(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")), "<")
}
