package html

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// policy is the content policy of a page with those styles and scripts: it names
// them by their hashes and forbids all else but pictures inside the page. Style
// attributes are forbidden, too: the pictures of package chart have none.
func policy(styles, scripts []string) string {
	var named, dressed strings.Builder
	for _, style := range styles {
		dressed.WriteString(" " + fingerprint(style))
	}
	for _, script := range scripts {
		named.WriteString(" " + fingerprint(script))
	}
	if len(scripts) == 0 {
		named.WriteString(" 'none'")
	}
	return "default-src 'none'; script-src" + named.String() +
		"; style-src" + dressed.String() +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// fingerprint is how a policy names a script or style.
func fingerprint(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
