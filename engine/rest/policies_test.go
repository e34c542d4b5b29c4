package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// policies is a document of some SignedIdentifier elements, without its first
// line.
func policies(identifiers ...string) string {
	text := "<SignedIdentifiers>"
	for _, one := range identifiers {
		text += "<SignedIdentifier>" + one + "</SignedIdentifier>"
	}
	return text + "</SignedIdentifiers>"
}

// policy is one identifier with its policy.
func policy(id, members string) string {
	return "<Id>" + id + "</Id><AccessPolicy>" + members + "</AccessPolicy>"
}

const xmlStart = "\ufeff" + `<?xml version="1.0" encoding="utf-8"?>`

// See the golden policies for what is set, read and cleared.
func TestAccessPoliciesGoWithTheirTable(t *testing.T) {
	s := withTable(t)
	const acl = races + "?comp=acl"
	want := func(target, document string) {
		t.Helper()
		assert.Equalf(t, xmlStart+document, s.Want(t, 200, "GET", target, "").Body.String(), "GET %s", target)
	}
	one := policies("<Id>a</Id>")
	s.Want(t, 204, "PUT", acl, one)
	want("/contoso/rACES()?comp=acl", one)
	want("/contoso-secondary/Races?comp=acl", one)
	w := s.Want(t, 200, "HEAD", acl, "")
	assert.Empty(t, w.Body.String(), "HEAD")
	assert.Equal(t, fmt.Sprint(len(xmlStart+one)), w.Header().Get("Content-Length"), "Content-Length of HEAD")
	s.Want(t, 400, "PUT", acl, policies("<Id>c</Id>", "<Id>c</Id>"))
	want(acl, one)
	s.Want(t, 204, "DELETE", "/contoso/Tables('races')", "")
	s.Want(t, 404, "GET", acl, "")
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	want(acl, policies())
}

func TestSignaturesNamePolicies(t *testing.T) {
	s := withTable(t)
	s.Want(t, 204, "PUT", races+"?comp=acl", policies(
		policy("reader", "<Start>2026-11-20T11:48:19Z</Start><Expiry>2026-11-20T11:49:19Z</Expiry><Permission>r</Permission>"),
		policy("later", "<Start>2026-11-20T11:48:20Z</Start><Expiry>2030-01-01</Expiry><Permission>r</Permission>"),
		policy("over", "<Expiry>2026-11-20T11:48:19Z</Expiry><Permission>r</Permission>"),
		policy("timeless", "<Permission>raud</Permission>"),
		"<Id>nothing</Id>"))
	for _, row := range []struct{ name, options, code string }{
		{"a policy that says everything", "si=reader", ""},
		{"a table in another case", "tn=rACES&si=reader", ""},
		{"a policy that begins later", "si=later", "AuthenticationFailed"},
		{"a policy that is over", "si=over", "AuthenticationFailed"},
		{"a policy without an end", "si=timeless", "AuthenticationFailed"},
		{"a policy without an end, and one", "si=timeless&se=2030-01-01", ""},
		{"a policy that says nothing", "si=nothing", "AuthenticationFailed"},
		{"a policy that says nothing, and no permission", "si=nothing&se=2030-01-01", "AuthenticationFailed"},
		{"a policy that says nothing, and everything", "si=nothing&se=2030-01-01&sp=r", ""},
		{"a policy that says nothing, and another permission", "si=nothing&se=2030-01-01&sp=a", "AuthorizationPermissionMismatch"},
		{"an end in both places", "si=reader&se=2026-11-20T11:49:19Z", "AuthenticationFailed"},
		{"a start in both places", "si=reader&st=2026-11-20T11:48:19Z", "AuthenticationFailed"},
		{"a permission in both places", "si=reader&sp=r", "AuthenticationFailed"},
		{"a name in another case", "si=Reader", "AuthenticationFailed"},
		{"a policy of another table", "tn=Boats&si=reader", "AuthenticationFailed"},
	} {
		options := "sv=2019-02-02&" + row.options
		if !strings.Contains(options, "tn=") {
			options += "&tn=Races"
		}
		status, header, text := s.bearer("GET", races, options, "")
		assert.Equalf(t, row.code, header.Get("x-ms-error-code"), "%s: GET with %s = %s", row.name, options, text)
		assert.Equal(t, row.code == "", status == 200, row.name)
	}
	// Whoever has such a URL has it for as long as the policy stands.
	const reader = "sv=2019-02-02&tn=Races&si=reader"
	s.Want(t, 204, "PUT", races+"?comp=acl", policies(policy("reader", "<Expiry>2030-01-01</Expiry><Permission>d</Permission>")))
	_, header, _ := s.bearer("GET", races, reader, "")
	assert.Equal(t, "AuthorizationPermissionMismatch", header.Get("x-ms-error-code"), "a policy altered")
	s.Want(t, 204, "PUT", races+"?comp=acl", "")
	status, _, _ := s.bearer("GET", races, reader, "")
	assert.Equal(t, 403, status, "a policy revoked")
}
