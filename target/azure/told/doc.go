// Package told is what a service has said of its own state while it was loaded: which of
// its limits throttled, and the identifiers by which its support finds the requests that
// were throttled, failed or slowest.
package told
