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

// Service describes a service by its own headers.
type Service struct {
	// Server is the printable header Server, cut to a line, empty for none.
	Server string
	// Genuine reports that host and header are the table service's, Emulator that the header names an
	// emulator. Both may be false.
	Genuine, Emulator bool
	// Limits are those of an emulator if LimitsKnown: it reports hard limits, or has none.
	Limits      wire.Limits
	LimitsKnown bool
	// Ahead is the difference of its clock to this machine's, to about a second; 0 if unknown.
	Ahead time.Duration
}

const (
	// probeLimit limits a probe.
	probeLimit = 4 * time.Second
	// maxSkew is the maximum error of a request's date.
	maxSkew = 15 * time.Minute
)

// Probe requests one table, or one entity with the shared access signature of a table, and returns the
// service. The error is one line with the likely cause and wraps ErrUnreachable, ErrAuthentication,
// ErrClock, ErrNotTables or ErrNoToken; a signature without the permission to list and a busy service are
// no errors. A probe takes at most 4 s after the first token.
func (t *Target) Probe(ctx context.Context) (Service, error) {
	a := t.newAttempt()
	defer a.reply.share.Leave()
	if err := t.authorize(ctx, a); err != nil {
		return Service{}, &ProbeError{t.endpoint, nil, err}
	}
	ctx, release := clock.WithTimeout(ctx, t.clock, probeLimit, errLate)
	defer release()
	began := t.clock.Now()
	if err := t.sendProbe(ctx, a); err != nil {
		return Service{}, t.unreachable(err)
	}
	if a.reply.status == http.StatusUnauthorized && a.token != nil {
		again, err := t.tokens.Renew(ctx, a.token)
		if err != nil {
			return Service{}, t.fault(ErrAuthentication, "%v%s", err, t.wanted(&a.reply))
		}
		a.token, began = again, t.clock.Now()
		if err := t.sendProbe(ctx, a); err != nil {
			return Service{}, t.unreachable(err)
		}
	}
	ours := t.dates.calendar.Date(began.Add(t.clock.Now().Sub(began) / 2))
	service := identify(t.endpoint.host, t.hide(a.reply.firstValue(serverHeader)))
	if theirs, err := http.ParseTime(a.reply.firstValue(dateHeader)); err == nil {
		service.Ahead = theirs.Sub(ours)
	}
	if err := t.judge(&a.reply, string(a.reply.body), service, ours); err != nil {
		return service, err
	}
	if t.client == Auto && t.proxy == nil && strings.HasPrefix(strings.ToLower(service.Server), "loadgen") {
		t.native.Store(true)
		t.other.CloseIdleConnections()
	}
	return service, nil
}

// sendProbe sends the request of a probe and reads the reply into the attempt.
func (t *Target) sendProbe(ctx context.Context, a *attempt) error {
	if only := t.endpoint.prove().signature; only != nil && only.table != "" {
		return t.get(ctx, a, string(wire.AppendQueryValue(nil, only.table))+"()", "$top=", "1")
	}
	return t.get(ctx, a, "Tables", "$top=", "1")
}

// get requests a resource with an option of its query, and reads the reply into the attempt.
func (t *Target) get(ctx context.Context, a *attempt, resource, option, value string) error {
	a.start(http.MethodGet)
	a.line = append(a.line, resource...)
	path := len(a.line)
	a.option(option, value)
	a.finish(0, path)
	return t.exchange(ctx, a)
}

// nextTableHeader is the continuation token of a list of tables.
const nextTableHeader = "x-ms-continuation-NextTableName"

// Tables returns at most 1,000 names of the account's tables, from a continuation token, and the next
// token; both are empty for the start and the end. The errors are those of Probe. It takes at most 4 s.
func (t *Target) Tables(ctx context.Context, from string) (names []string, next string, err error) {
	a := t.newAttempt()
	defer a.reply.share.Leave()
	if err := t.authorize(ctx, a); err != nil {
		return nil, "", &ProbeError{t.endpoint, nil, err}
	}
	ctx, release := clock.WithTimeout(ctx, t.clock, probeLimit, errLate)
	defer release()
	if err := t.get(ctx, a, "Tables", "NextTableName=", from); err != nil {
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
	return names, strings.Clone(a.reply.firstValue(nextTableHeader)), nil
}

// maxServerBytes limits the kept part of the header Server.
const maxServerBytes = 120

// identify returns the service by its host and header Server. Anybody can send that header, and any host
// name can lead to the real service: both have to agree.
func identify(host, header string) Service {
	s := Service{Server: header}
	if strings.ContainsFunc(header, func(c rune) bool { return c < ' ' || c > '~' }) {
		// Not printable on a terminal.
		return Service{}
	}
	if len(s.Server) > maxServerBytes {
		s.Server = s.Server[:maxServerBytes] + "…"
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

// unreachable returns the error of a probe without a reply.
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

// ProbeError is the error of a probe. It wraps both errors.
type ProbeError struct {
	Endpoint Endpoint
	// Kind is one of the errors of [Target.Probe], nil if Why wraps it; Why is the cause.
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

// judge returns why the reply to a probe is not that of a usable table service.
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
		// A table service, which may be busy.
		return nil
	case code == entity.ResourceNotFound:
		return t.fault(ErrAuthentication, "the service knows no account %s", t.endpoint.account)
	case isXML(text):
		return t.fault(ErrNotTables, "another service of the account replied: %d %s", status, code)
	default:
		return t.fault(ErrNotTables, "what answers does not list tables: %d %s: %s", status, code, detail)
	}
}

// forbidden returns why the service rejects the account; nil if only the signature lacks the permission to
// list.
func (t *Target) forbidden(r *reply, status int, code entity.Code, detail string, s Service, ours time.Time) error {
	by := t.endpoint.prove()
	signature := by.signature
	switch {
	case by.identity != nil:
		return t.unwelcome(r, status, code, detail)
	case signature == nil && (s.Ahead > maxSkew || s.Ahead < -maxSkew):
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

// unwelcome returns why the service rejects an Entra ID token.
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

// wanted returns the issuer that a rejecting service requires, empty if it does not say.
func (t *Target) wanted(r *reply) string {
	_, rest, says := strings.Cut(r.firstValue(challengeHeader), "authorization_uri=")
	if !says {
		return ""
	}
	whose, _, _ := strings.Cut(strings.Trim(rest, "\""), " ")
	return "; it wants one of " + strings.Trim(whose, "\",")
}

// otherService returns the other service of a storage account that a header Server or a host names, empty for
// none.
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

// kindOf describes a body that is not a table service's.
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
	return strings.HasPrefix(r.firstValue(typeHeader), "text/html") || strings.HasPrefix(strings.TrimSpace(text), "<!")
}

func isXML(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")), "<")
}
