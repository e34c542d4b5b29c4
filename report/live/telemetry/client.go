package telemetry

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Client sends telemetry of one run after another to an endpoint. A nil one sends nothing. The caller of Open closes it.
type Client struct {
	endpoint *endpoint
	// metrics and traces are nil if that signal is not sent.
	metrics sdkmetric.Exporter
	traces  sdktrace.SpanExporter
}

// Open returns a client for a URL or [Environment]; get reads a variable of the environment. Nothing is sent yet.
func Open(ctx context.Context, typed string, get func(string) string) (*Client, error) {
	found, err := find(typed, get)
	if err != nil {
		return nil, err
	}
	if _, err := resource.New(ctx, resource.WithFromEnv()); err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: expected name=value, several between commas")
	}
	// Log messages of the SDK may contain headers.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	c := &Client{endpoint: found}
	// A failed export is not repeated: the next one has the same metrics, only its traces are lost.
	if to := found.metrics; to != "" {
		c.metrics, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(to), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	}
	if err != nil {
		c.metrics = nil // and no typed nil
	} else if to := found.traces; to != "" {
		c.traces, err = otlptrace.New(ctx, otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(to), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})))
	}
	if err != nil {
		c.traces = nil
		c.Close()
		return nil, errors.New(c.plain(err))
	}
	return c, nil
}

// Close releases the client's connections.
func (c *Client) Close() {
	if c == nil {
		return
	}
	// Nothing waits to be sent, and errors of closing do not matter.
	if c.metrics != nil {
		_ = c.metrics.Shutdown(context.Background())
	}
	if c.traces != nil {
		_ = c.traces.Shutdown(context.Background())
	}
}

// maxCause is the maximum length of a shown error of an endpoint, in bytes.
const maxCause = 200

// plain returns an error as a short line without the values of headers, which an endpoint may repeat.
func (c *Client) plain(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, errLate):
		return "no answer in time"
	case errors.Is(err, io.EOF):
		return "the connection was closed without an answer"
	}
	text := err.Error()
	for _, secret := range c.endpoint.secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if len(text) > maxCause {
		text = strings.ToValidUTF8(text[:maxCause], "") + "…"
	}
	return text
}

// Environment is the value of the flag for the endpoint of the environment.
const Environment = "env"

// variables is the prefix of the exporter's variables: for all signals, or, followed by a signal, for one.
const variables = "OTEL_EXPORTER_OTLP_"

// every is the default interval of exports; a step of a run is longer.
const (
	every       = 5 * time.Second
	minInterval = 100 * time.Millisecond
)

// endpoint has the URLs that the signals of a run are sent to, empty for none, and how often.
type endpoint struct {
	metrics, traces string
	every           time.Duration
	// secrets are the values of headers, which are never shown.
	secrets []string
}

// String returns the endpoint for messages.
func (e *endpoint) String() string {
	return strings.TrimSuffix(cmp.Or(e.metrics, e.traces), "/v1/metrics")
}

// environment reads variables, those of a signal before those of all signals.
type environment func(string) string

// lookup returns the value of a variable for a signal, METRICS or TRACES, and its name.
func (get environment) lookup(signal, what string) (value, name string) {
	for _, name := range []string{variables + signal + "_" + what, variables + what} {
		if value := strings.TrimSpace(get(name)); value != "" {
			return value, name
		}
	}
	return "", variables + what
}

// find returns the endpoint for a URL or [Environment]. Its error says what is wrong with it or with a variable.
func find(typed string, get environment) (*endpoint, error) {
	e := &endpoint{every: every}
	for _, one := range []struct {
		name, path, exporter string
		to                   *string
	}{
		{"METRICS", "v1/metrics", "OTEL_METRICS_EXPORTER", &e.metrics},
		{"TRACES", "v1/traces", "OTEL_TRACES_EXPORTER", &e.traces},
	} {
		switch exporter := get(one.exporter); exporter {
		case "", "otlp":
		case "none":
			continue
		default:
			return nil, fmt.Errorf("%s is %q; expected otlp or none", one.exporter, exporter)
		}
		var err error
		if *one.to, err = signalURL(typed, one.name, one.path, get); err != nil {
			return nil, err
		}
		if err := e.check(one.name, get); err != nil {
			return nil, err
		}
	}
	if e.metrics == "" && e.traces == "" {
		return nil, errors.New("OTEL_METRICS_EXPORTER and OTEL_TRACES_EXPORTER are none; expected otlp for one of them")
	}
	if gap := get("OTEL_METRIC_EXPORT_INTERVAL"); gap != "" {
		ms, err := strconv.ParseInt(gap, 10, 32)
		if e.every = time.Duration(ms) * time.Millisecond; err != nil || e.every < minInterval {
			return nil, fmt.Errorf("OTEL_METRIC_EXPORT_INTERVAL is %q; expected milliseconds, at least %d", gap, minInterval.Milliseconds())
		}
	}
	return e, nil
}

// signalURL returns the URL for a signal, METRICS or TRACES.
func signalURL(typed, signal, path string, get environment) (string, error) {
	if protocol, variable := get.lookup(signal, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return "", fmt.Errorf("%s is %q; expected http/protobuf", variable, protocol)
	}
	of, base, whole := "", typed, false
	if typed == Environment {
		var variable string
		if base, variable = get.lookup(signal, "ENDPOINT"); base == "" {
			base = "http://localhost:4318"
		}
		of, whole = variable+" is ", variable != variables+"ENDPOINT"
	}
	u, err := address(base)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s%w", of, err)
	case !whole && (strings.HasSuffix(u.Path, "/v1/metrics") || strings.HasSuffix(u.Path, "/v1/traces")):
		return "", fmt.Errorf("%s%s names one signal; expected the URL before %s", of, u, u.Path[strings.LastIndex(u.Path, "/v1/"):])
	case !whole:
		u = u.JoinPath(path)
	}
	return u.String(), nil
}

// address returns the URL of a service. Its error does not contain secrets of the URL.
func address(typed string) (*url.URL, error) {
	u, err := url.Parse(typed)
	switch {
	case err != nil || u.Opaque != "" || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || strings.HasSuffix(u.Host, ":"):
		return nil, fmt.Errorf("%s; expected a URL such as http://localhost:4318, or %s for that of %sENDPOINT", redacted(typed), Environment, variables)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s; expected a URL without user and query; credentials belong in %sHEADERS", redacted(typed), variables)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("%s; expected a port from 1 to 65535", redacted(typed))
		}
	}
	return u, nil
}

// redacted returns a URL in quotes without user and query, which may be secrets.
func redacted(typed string) string {
	text, _, _ := strings.Cut(typed, "?")
	if at := strings.LastIndex(text, "@"); at >= 0 {
		begin := max(0, strings.Index(text, "://")+len("://"))
		if !strings.Contains(text[:at], "://") {
			begin = 0
		}
		text = text[:begin] + "…" + text[at:]
	}
	return strconv.Quote(text)
}

// check finds invalid variables of a signal other than its endpoint, which the exporters would ignore, or report with
// their value.
func (e *endpoint) check(signal string, get environment) error {
	if value, name := get.lookup(signal, "TIMEOUT"); value != "" {
		if ms, err := strconv.ParseInt(value, 10, 32); err != nil || ms <= 0 {
			return fmt.Errorf("%s is %q; expected milliseconds", name, value)
		}
	}
	if value, name := get.lookup(signal, "COMPRESSION"); !slices.Contains([]string{"", "none", "gzip"}, value) {
		return fmt.Errorf("%s is %q; expected gzip or none", name, value)
	}
	for _, name := range []string{variables + "HEADERS", variables + signal + "_HEADERS"} {
		secrets, sound := headers(get(name))
		if !sound {
			return fmt.Errorf("%s: expected name=value, several between commas, values percent-encoded", name)
		}
		e.secrets = append(e.secrets, secrets...)
	}
	if file, name := get.lookup(signal, "CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(text) {
			return fmt.Errorf("%s: %s has no certificate; expected PEM", name, file)
		}
	}
	own, name := get.lookup(signal, "CLIENT_CERTIFICATE")
	key, _ := get.lookup(signal, "CLIENT_KEY")
	if own != "" && key != "" {
		if _, err := tls.LoadX509KeyPair(own, key); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// headers returns the values of headers in a variable, and whether all are valid.
func headers(text string) (values []string, sound bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	for one := range strings.SplitSeq(text, ",") {
		name, value, is := strings.Cut(one, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		name = strings.TrimSpace(name)
		odd := strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) })
		if !is || name == "" || odd || err != nil || strings.ContainsAny(plain, "\r\n\x00") {
			return nil, false
		}
		if plain != "" {
			values = append(values, plain, strings.TrimSpace(value))
		}
	}
	return values, true
}
