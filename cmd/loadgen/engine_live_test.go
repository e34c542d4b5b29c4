//go:build (live || long) && unix

package main

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/wire"
	"loadgen/scenarios"
)

// account is that of an engine which a bare client is held against.
const account = "loadgen"

// bareEngine returns an engine like that of a run, and a key for its account.
func bareEngine(t *testing.T, s *scenarios.Scenario, clk clock.Real) (*engine.Engine, *wire.Secret) {
	t.Helper()
	m, err := s.PartitionModel()
	require.NoError(t, err)
	secret, err := wire.NewSecret(strings.Repeat("bG9hZGdlbi1saXZl", 5))
	require.NoError(t, err)
	return engine.New(engine.Options{Model: m, Accounts: []string{account}, Calendar: clk, Seed: s.Seed}), secret
}

// usedCPU returns what this process has used of the processors.
func usedCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// signed returns a request that the embedded engine takes.
func signed(t *testing.T, secret *wire.Secret, base, method, path, body string) *http.Request {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, base+path, content)
	if err != nil {
		t.Error(err)
		return nil
	}
	date := time.Now().UTC().Format(http.TimeFormat)
	request.Header = http.Header{
		"X-Ms-Date": {date}, "X-Ms-Version": {"2019-02-02"}, "Accept": {"application/json;odata=minimalmetadata"},
		"Content-Type": {"application/json"},
		"Authorization": {string(secret.AppendAuthorization(nil, wire.SharedKeyLite,
			&wire.Signable{Method: method, ContentType: "application/json", Date: date, Account: account, Path: path}))},
	}
	return request
}
