package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
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
