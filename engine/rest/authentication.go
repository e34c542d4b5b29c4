package rest

import (
	"net/http"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// maxSkew is the maximum difference between a request's date and the service's.
const maxSkew = entity.Ticks(15 * time.Minute / 100)

// authenticate returns OK for a valid shared access signature, token, or signature by the account's key.
func (x *exchange) authenticate() (entity.Code, string) {
	if x.options.access != nil && x.options.access.Signature != "" {
		// The signature limits the request, even with a key.
		return x.authenticateAccess()
	}
	header := x.request.Header["Authorization"]
	if x.handler.tokens != nil && len(header) < 2 {
		scheme, token, _ := strings.Cut(headerOf(x.request, "Authorization"), " ")
		if scheme == "" || strings.EqualFold(scheme, "Bearer") {
			return x.authenticateToken(token)
		}
	}
	if len(header) == 0 {
		// The reply to anonymous requests is not documented; this is that of emulators.
		return entity.AuthorizationFailure, ""
	}
	given, formed := wire.ParseAuthorization(header[0])
	if !formed || len(header) > 1 {
		return entity.InvalidAuthenticationInfo, "Authorization must be SharedKeyLite or SharedKey with account:signature"
	}
	date, code, detail := x.date()
	if code != entity.OK {
		return code, detail
	}
	if x.tenant == nil || given.Account != x.target.account {
		return entity.AuthenticationFailed, "the signature is not of the account that the request is for"
	}
	secret := x.tenant.secret
	what := wire.Signable{
		Method:      x.request.Method,
		ContentMD5:  headerOf(x.request, "Content-Md5"),
		ContentType: headerOf(x.request, "Content-Type"),
		Date:        date,
		Account:     x.target.account,
		Path:        x.target.path,
		Comp:        x.options.comp,
		HasComp:     x.options.has(optionComp),
	}
	if secret.Verify(given.Scheme, &what, given.Signature) {
		return entity.OK, ""
	}
	if x.target.secondary && x.target.segment != "" {
		// Older clients sign the secondary's requests as if they went to the
		// primary.
		primary := what
		primary.Path = "/" + x.target.account + x.target.path[1+len(x.target.segment):]
		if secret.Verify(given.Scheme, &primary, given.Signature) {
			return entity.OK, ""
		}
	}
	return entity.AuthenticationFailed, signedText(what.AppendStringToSign(nil, given.Scheme))
}

// authenticateToken returns OK for a valid token, which allows everything. Other requests get a challenge.
func (x *exchange) authenticateToken(token string) (entity.Code, string) {
	if token == "" {
		x.challenged = true
		return entity.InvalidAuthenticationInfo, "the request has neither a signature nor a token"
	}
	if err := x.handler.tokens.Accept(x.request.Context(), token); err != nil {
		x.challenged = true
		return entity.InvalidAuthenticationInfo, err.Error()
	}
	if x.tenant == nil {
		return entity.AuthenticationFailed, "the account does not exist"
	}
	return entity.OK, ""
}

// date returns the text of the signed date.
func (x *exchange) date() (string, entity.Code, string) {
	text := headerOf(x.request, "X-Ms-Date")
	if text == "" {
		text = headerOf(x.request, "Date")
	}
	if text == "" {
		return "", entity.AuthenticationFailed, "the request has neither x-ms-date nor Date"
	}
	// A second's requests carry the same date.
	if text != x.dateText {
		sent, err := time.Parse(httpDate, text)
		if err != nil || len(text) != len(httpDate) {
			return "", entity.AuthenticationFailed, "the date is not in RFC 1123 format with GMT"
		}
		x.dateText, x.dateTicks = strings.Clone(text), entity.TicksOf(sent)
	}
	skew := x.handler.calendar.ticks(x.handler.clock.Now()) - x.dateTicks
	if skew > maxSkew || skew < -maxSkew {
		return "", entity.AuthenticationFailed, "the date differs by over 15 minutes from the service's"
	}
	return text, entity.OK, ""
}

// signedText explains a wrong signature by the text to sign, which has only parts of the request.
func signedText(signed []byte) string {
	const longest = 1024
	text := strings.ReplaceAll(string(signed), "\n", `\n`)
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return "The MAC signature found in the HTTP request is not the one computed over: '" + text + "'."
}

// headerOf returns the first value of a header, empty for none. The name is in
// the canonical form.
func headerOf(r *http.Request, name string) string {
	if values := r.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}
