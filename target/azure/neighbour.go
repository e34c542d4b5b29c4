package azure

import (
	"strings"
)

// Neighbour is another service of a table's account.
type Neighbour uint8

// The neighbours.
const (
	// Queue is the service of queues.
	Queue Neighbour = iota + 1
	// Blob is the service of containers of blobs.
	Blob
)

// String returns the service's label in addresses.
func (n Neighbour) String() string { return [...]string{Queue: "queue", Blob: "blob"}[n] }

// setting returns the service's setting in connection strings.
func (n Neighbour) setting() string {
	return [...]string{Queue: "QueueEndpoint", Blob: "BlobEndpoint"}[n]
}

// Neighbour returns the address of another service of the same account, without a trailing slash. It is
// false if neither the connection string nor the table service's address implies it.
func (e Endpoint) Neighbour(n Neighbour) (address string, known bool) {
	if given := e.neighbours[n]; given != "" {
		return given, true
	}
	labels := strings.SplitN(e.host, ".", 3)
	if e.segment != "" || len(labels) < 3 || !strings.EqualFold(labels[1], "table") || e.Cosmos() {
		return "", false
	}
	labels[1] = n.String()
	return e.scheme + "://" + strings.Join(labels, "."), true
}

// Credential returns the credential for the account's other services: the key in base64, or a shared
// access signature without its question mark; the other is empty. Callers must not print it.
func (e Endpoint) Credential() (key, signature string) {
	if e.prove == nil {
		return "", ""
	}
	p := e.prove()
	if p.secret != nil {
		key = p.secret.Reveal()
	}
	if p.signature != nil {
		signature = p.signature.query
	}
	return key, signature
}

// Identity returns the source of Entra ID tokens, nil with a key or a signature.
func (e Endpoint) Identity() *Credential {
	if e.prove == nil {
		return nil
	}
	return e.prove().identity
}
