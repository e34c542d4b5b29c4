package azure

import (
	"strings"
)

// Neighbour is another service of a table's account.
type Neighbour uint8

// The neighbours. Each is known by a setting of a connection string, by its label in
// the address, and by its port at the emulator.
const (
	// Queue is the service of queues.
	Queue Neighbour = iota + 1
	// Blob is the service of containers of blobs.
	Blob
)

// String returns what the service is called in an address.
func (n Neighbour) String() string { return [...]string{Queue: "queue", Blob: "blob"}[n] }

// setting returns the setting of a connection string that says where it is.
func (n Neighbour) setting() string {
	return [...]string{Queue: "QueueEndpoint", Blob: "BlobEndpoint"}[n]
}

// Neighbour returns the address of another service of the same account, without a
// slash at its end, and false where neither a connection string nor the table service's
// own address tells it.
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

// Credential returns what proves to the account's other services who asks: the key in
// base64, or a shared access signature without its question mark; the other is empty.
// The caller keeps it out of every text.
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

// Identity returns whom Entra ID gives the tokens that prove who asks, nil where a key or a
// signature does.
func (e Endpoint) Identity() *Credential {
	if e.prove == nil {
		return nil
	}
	return e.prove().identity
}
