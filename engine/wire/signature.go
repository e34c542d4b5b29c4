package wire

import "strings"

// SigningScheme is a way to sign a request.
type SigningScheme uint8

// The schemes.
const (
	SharedKeyLite SigningScheme = iota + 1
	SharedKey
)

// String returns the scheme's name on the wire, and "unknown" for what is none.
func (s SigningScheme) String() string {
	switch s {
	case SharedKeyLite:
		return "SharedKeyLite"
	case SharedKey:
		return "SharedKey"
	default:
		return "unknown"
	}
}

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
	// front; in path style it begins with the account. An empty one counts as a
	// slash.
	Path string
	// Comp is the value of the query parameter comp; HasComp is false
	// for none.
	Comp    string
	HasComp bool
}

// AppendStringToSign appends the text that a scheme signs. It panics on a value
// that is no scheme.
func (s *Signable) AppendStringToSign(dst []byte, scheme SigningScheme) []byte {
	switch scheme {
	case SharedKeyLite:
	case SharedKey:
		dst = appendSignedLine(dst, s.Method)
		dst = appendSignedLine(dst, s.ContentMD5)
		dst = appendSignedLine(dst, s.ContentType)
	default:
		panic("wire: AppendStringToSign: unknown scheme")
	}
	dst = appendSignedLine(dst, s.Date)
	dst = append(dst, '/')
	dst = append(dst, s.Account...)
	if s.Path == "" {
		dst = append(dst, '/')
	}
	dst = append(dst, s.Path...)
	// Of the whole query string this one parameter is signed.
	if s.HasComp {
		dst = append(dst, "?comp="...)
		dst = append(dst, s.Comp...)
	}
	return dst
}

func appendSignedLine(dst []byte, line string) []byte {
	dst = append(dst, line...)
	return append(dst, '\n')
}

// Authorization is a parsed Authorization header. Signature is base64.
type Authorization struct {
	Scheme    SigningScheme
	Account   string
	Signature string
}

// ParseAuthorization reads an Authorization header of one of the two schemes,
// and returns false for any other text. The strings are views into the header.
func ParseAuthorization(header string) (Authorization, bool) {
	name, credentials, _ := strings.Cut(header, " ")
	account, signature, _ := strings.Cut(credentials, ":")
	if account == "" || strings.ContainsAny(account, " \t") {
		return Authorization{}, false
	}
	// The signature is made of base64's digits, padded to whole groups of four.
	digits := strings.TrimSuffix(strings.TrimSuffix(signature, "="), "=")
	foreign := func(c rune) bool {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		return !letter && ('0' > c || c > '9') && c != '+' && c != '/'
	}
	if signature == "" || len(signature)%4 != 0 || strings.ContainsFunc(digits, foreign) {
		return Authorization{}, false
	}
	for _, scheme := range [...]SigningScheme{SharedKeyLite, SharedKey} {
		if strings.EqualFold(name, scheme.String()) {
			return Authorization{scheme, account, signature}, true
		}
	}
	return Authorization{}, false
}
