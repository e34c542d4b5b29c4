package wire

// Secret is an account's key. Printing it in whatever way shows no part of it.
// It is immutable and safe for concurrent use.
type Secret struct {
	key []byte
}

// NewSecret returns the key that a base64 text holds; ErrSecret otherwise,
// without the text.
func NewSecret(text string) (*Secret, error) { panic("contract") }

// String hides the key.
func (s *Secret) String() string { return "(secret)" }

// Scheme is a way to sign a request.
type Scheme uint8

// The schemes.
const (
	SharedKeyLite Scheme = iota + 1
	SharedKey
)

// Signable is what of a request is signed. The fields are as they stand on the
// wire.
type Signable struct {
	Method      string
	ContentMD5  string
	ContentType string
	// Date is x-ms-date where that is sent, else Date.
	Date    string
	Account string
	// Path is the escaped path of the request target with the slash at its
	// front; in path style it begins with the account.
	Path string
	// Comp is the value of the query parameter comp; HasComp tells an empty
	// one from none.
	Comp    string
	HasComp bool
}

// AppendStringToSign appends the text that a scheme signs.
func (s *Signable) AppendStringToSign(dst []byte, scheme Scheme) []byte { panic("contract") }

// AppendAuthorization appends the value of the Authorization header:
// "SharedKeyLite account:signature".
func (s *Secret) AppendAuthorization(dst []byte, scheme Scheme, what *Signable) []byte {
	panic("contract")
}

// Verify reports whether signature, in base64, is the key's over what; it takes
// the same time wherever they differ.
func (s *Secret) Verify(scheme Scheme, what *Signable, signature string) bool { panic("contract") }

// Authorization is a parsed Authorization header. Signature is base64.
type Authorization struct {
	Scheme    Scheme
	Account   string
	Signature string
}

// ParseAuthorization reads an Authorization header of one of the two schemes,
// and returns false for any other text.
func ParseAuthorization(header string) (Authorization, bool) { panic("contract") }
