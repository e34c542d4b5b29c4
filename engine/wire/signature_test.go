package wire_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/wire"
)

const signedDate = "Fri, 20 Nov 2026 11:48:19 GMT"

// signedRequests are requests to an emulator's account with the texts that are
// signed and their signatures. Each signature was computed from the text alone,
// without this package, with OpenSSL 3.0:
//
//	printf TEXT | openssl dgst -sha256 -mac HMAC -macopt hexkey:KEY -binary | base64
//
// where KEY is the published key of the account, from base64 to hexadecimal.
func signedRequests() []signedRequest {
	const resource = "/devstoreaccount1/devstoreaccount1"
	request := func(path string) wire.Signable {
		return wire.Signable{Method: "GET", Date: signedDate, Account: "devstoreaccount1", Path: path}
	}
	get := request("/devstoreaccount1/T1(PartitionKey='a%20b',RowKey='O%27%27X')")
	insert := request("/devstoreaccount1/T1")
	insert.Method, insert.ContentType = "POST", "application/json"
	list := request("/devstoreaccount1/T1")
	list.Comp, list.HasComp = "acl", true
	properties := request("/devstoreaccount1/")
	properties.Comp, properties.HasComp = "properties", true
	stats := request("/devstoreaccount1-secondary/")
	stats.Comp, stats.HasComp = "stats", true
	setList := list
	setList.Method, setList.ContentType, setList.ContentMD5 = "PUT", "application/xml", "1B2M2Y8AsgTpgAmY7PhCfg=="
	empty := list
	empty.Comp = ""
	return []signedRequest{
		{"an entity is read", get, wire.SharedKeyLite,
			signedDate + "\n" + resource + "/T1(PartitionKey='a%20b',RowKey='O%27%27X')",
			"8i/yEbcxV1qp+XJZwOUeD7lNAchk60GwT8lkMPxh9F0="},
		{"an entity is inserted", insert, wire.SharedKey,
			"POST\n\napplication/json\n" + signedDate + "\n" + resource + "/T1",
			"igzPXBXf1JjKvliUzvA5rOlcnNsyxbn0T2B1rfDCN8E="},
		{"an access list is read", list, wire.SharedKeyLite,
			signedDate + "\n" + resource + "/T1?comp=acl", "HHFKwgPCjzeB7WhIMMT5Wb7rHCM7tZhuVNfv6yeQkLg="},
		{"the service's properties are read", properties, wire.SharedKeyLite,
			signedDate + "\n" + resource + "/?comp=properties", "pKAvd4wmKpcZbaLIdh/bvrDJbv4lbS+hx7dmlmuIvOs="},
		{"an empty path counts as a slash", request(""), wire.SharedKeyLite,
			signedDate + "\n/devstoreaccount1/", "WrRJNMAiZ7x4osuF15EgdEXTKHOlaEsuQNlyPxe7OA0="},
		{"the secondary is asked", stats, wire.SharedKeyLite,
			signedDate + "\n/devstoreaccount1/devstoreaccount1-secondary/?comp=stats",
			"hu/GslATeNS3NWMWluzG2zy/Krlt9BEuwD2T0A3gshE="},
		{"an access list is written with a digest of the body", setList, wire.SharedKey,
			"PUT\n1B2M2Y8AsgTpgAmY7PhCfg==\napplication/xml\n" + signedDate + "\n" + resource + "/T1?comp=acl",
			"qYqzIlVaCkLD8oC4e61l+ZA+u2DVVH+VQYGxbP+/FTE="},
		{"an empty comp is signed too", empty, wire.SharedKeyLite,
			signedDate + "\n" + resource + "/T1?comp=", "UrHUFeKaf8S23NMIZTQpvjzL9GO92cjtaYPoOnvIc4M="},
	}
}

type signedRequest struct {
	name            string
	what            wire.Signable
	scheme          wire.SigningScheme
	text, signature string
}

func TestSignaturesAreThoseOfOpenSSL(t *testing.T) {
	secret := developmentSecret(t)
	for _, row := range signedRequests() {
		assert.Equalf(t, row.text, string(row.what.AppendStringToSign(nil, row.scheme)),
			"%s: AppendStringToSign(%v)", row.name, row.scheme)
		want := "before " + row.scheme.String() + " devstoreaccount1:" + row.signature
		for range 2 {
			assert.Equalf(t, want, string(secret.AppendAuthorization([]byte("before "), row.scheme, &row.what)),
				"%s: AppendAuthorization", row.name)
			assert.Truef(t, secret.Verify(row.scheme, &row.what, row.signature),
				"%s: Verify(%s) = false; want true", row.name, row.signature)
		}
		assert.Falsef(t, secret.Verify(wire.SharedKey+wire.SharedKeyLite-row.scheme, &row.what, row.signature),
			"%s: Verify under the other scheme = true; want false", row.name)
	}
}

// The text that is signed is separated by line breaks and nothing else, so that
// each field must count.
func TestVerifyRefusesWhatWasAltered(t *testing.T) {
	secret := developmentSecret(t)
	other, err := wire.NewSecret("c2VjcmV0")
	require.NoError(t, err)
	whole := wire.Signable{"PUT", "md5", "type", signedDate, "account", "/path", "acl", true}
	authorization := string(secret.AppendAuthorization(nil, wire.SharedKey, &whole))
	signature := strings.TrimPrefix(authorization, "SharedKey account:")
	for name, alter := range map[string]func(*wire.Signable){
		"method": func(s *wire.Signable) { s.Method = "PATCH" }, "digest": func(s *wire.Signable) { s.ContentMD5 = "" },
		"type": func(s *wire.Signable) { s.ContentType = "" }, "date": func(s *wire.Signable) { s.Date += " " },
		"account": func(s *wire.Signable) { s.Account = "accounts" }, "path": func(s *wire.Signable) { s.Path = "/Path" },
		"comp": func(s *wire.Signable) { s.Comp = "" }, "lack of comp": func(s *wire.Signable) { s.HasComp = false },
	} {
		altered := whole
		alter(&altered)
		assert.Falsef(t, secret.Verify(wire.SharedKey, &altered, signature),
			"Verify after the %s was altered = true; want false", name)
	}
	assert.True(t, secret.Verify(wire.SharedKey, &whole, signature) && !other.Verify(wire.SharedKey, &whole, signature),
		"Verify does not tell the right key from another one")
	// The digit after each one: in the last place it stands for the same bytes.
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/A"
	for i := range 43 {
		wrong := []byte(signature)
		wrong[i] = digits[strings.IndexByte(digits, wrong[i])+1]
		assert.Falsef(t, secret.Verify(wire.SharedKey, &whole, string(wrong)),
			"Verify(%s) = true where %s is right; want false", wrong, signature)
	}
	for _, wrong := range []string{"", "=", signature[:43], signature + "=", signature[:43] + "\n",
		strings.Repeat("=", 44), strings.Repeat("!", 44), "\n\n\n\n" + signature[:40], strings.Repeat("A", 44), strings.Repeat("A", 1<<16)} {
		assert.Falsef(t, secret.Verify(wire.SharedKey, &whole, wrong), "Verify(%.50q) = true; want false", wrong)
	}
}

func TestSecretSignsInManyGoroutines(t *testing.T) {
	secret := developmentSecret(t)
	key, _ := base64.StdEncoding.DecodeString(developmentKey)
	var done sync.WaitGroup
	for worker := range 4 {
		done.Go(func() {
			for i := range 100 {
				what := wire.Signable{Account: "races", Path: strings.Repeat("/x", 1+worker*100+i), Date: signedDate}
				mac := hmac.New(sha256.New, key)
				mac.Write([]byte(signedDate + "\n/races" + what.Path))
				want := "SharedKeyLite races:" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
				assert.Equalf(t, want, string(secret.AppendAuthorization(nil, wire.SharedKeyLite, &what)),
					"AppendAuthorization of a path of %d bytes", len(what.Path))
			}
		})
	}
	done.Wait()
}

func TestParseAuthorization(t *testing.T) {
	const sum = "8i/yEbcxV1qp+XJZwOUeD7lNAchk60GwT8lkMPxh9F0="
	lite := wire.Authorization{Scheme: wire.SharedKeyLite, Account: "races", Signature: sum}
	full := wire.Authorization{Scheme: wire.SharedKey, Account: "races", Signature: sum}
	checkParsed(t, wire.ParseAuthorization, []parsedRow[wire.Authorization]{
		{"the scheme that clients of tables use", "SharedKeyLite races:" + sum, lite, true},
		{"the longer one", "SharedKey races:" + sum, full, true},
		{"case of the scheme does not matter", "sharedkeyLITE races:" + sum, lite, true},
		{"nothing", "", wire.Authorization{}, false},
		{"two blanks", "SharedKey  races:" + sum, wire.Authorization{}, false},
		{"a tab", "SharedKey\traces:" + sum, wire.Authorization{}, false},
		{"no account", "SharedKey :" + sum, wire.Authorization{}, false},
		{"no signature", "SharedKey races:", wire.Authorization{}, false},
		{"no colon", "SharedKey races", wire.Authorization{}, false},
		{"a signature that is no base64", "SharedKey races:????", wire.Authorization{}, false},
		{"a signature without its padding", "SharedKey races:" + strings.TrimRight(sum, "="), wire.Authorization{}, false},
		{"another scheme", "Bearer races:" + sum, wire.Authorization{}, false},
		{"a scheme whose name is no name", "unknown races:" + sum, wire.Authorization{}, false},
	})
}

// developmentKey is the published key of every emulator's account.
const developmentKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

func developmentSecret(t testing.TB) *wire.Secret {
	t.Helper()
	secret, err := wire.NewSecret(developmentKey)
	require.NoError(t, err, "NewSecret(the published key) fails")
	return secret
}

// tellsKey reports whether a text holds any four bytes of a key in a row, in a
// form in which they could be printed.
func tellsKey(text string, key []byte) bool {
	lower := strings.ToLower(text)
	for i := 0; i+4 <= len(key); i++ {
		part := key[i : i+4]
		for _, form := range []string{
			string(part), fmt.Sprintf("%x", part), fmt.Sprintf("% x", part), strings.Trim(fmt.Sprint(part), "[]"),
			strings.Trim(strings.TrimPrefix(fmt.Sprintf("%#v", part), "[]byte"), "{}"),
			strings.Trim(fmt.Sprintf("%o", part), "[]"), strings.Trim(fmt.Sprintf("%b", part), "[]"),
		} {
			if strings.Contains(lower, strings.ToLower(form)) {
				return true
			}
		}
	}
	for i := 0; i+5 <= len(developmentKey); i++ {
		if strings.Contains(text, developmentKey[i:i+5]) {
			return true
		}
	}
	return false
}

func TestSecretIsNeverShown(t *testing.T) {
	secret := developmentSecret(t)
	key, err := base64.StdEncoding.DecodeString(developmentKey)
	require.NoError(t, err)
	if !tellsKey(fmt.Sprint(key), key) || !tellsKey(fmt.Sprintf("%#v", key), key) || !tellsKey(fmt.Sprintf("%x", key), key) ||
		!tellsKey(developmentKey[9:20], key) {
		t.Fatal("this test would not see a key that is shown")
	}
	// The second field is beyond the reach of fmt's method calls.
	type holder struct {
		Key    *wire.Secret
		hidden wire.Secret
		inner  *wire.Secret
	}
	held := holder{secret, *secret, secret}
	what := &wire.Signable{Account: "devstoreaccount1"}
	secret.AppendAuthorization(nil, wire.SharedKey, what)
	for _, value := range []any{secret, *secret, &secret, held, &held, []*wire.Secret{secret}, []holder{held},
		map[string]holder{"a": held}, fmt.Errorf("broken: %v", secret)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%o", "%b", "%c", "%U", "%t", "%e", "%T", "%p", "%w"} {
			got := fmt.Sprintf(verb, value)
			assert.Truef(t, !tellsKey(got, key), "Sprintf(%s, %T) shows the key: %s", verb, value, got)
		}
		got, err := json.Marshal(value)
		assert.Truef(t, err != nil || !tellsKey(string(got), key), "json.Marshal(%T) shows the key: %s", value, got)
		got, err = xml.Marshal(value)
		assert.Truef(t, err != nil || !tellsKey(string(got), key), "xml.Marshal(%T) shows the key: %s", value, got)
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("signed", "with", value)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("signed", "with", value)
		assert.Truef(t, !tellsKey(log.String(), key), "a log of %T shows the key: %s", value, log.String())
	}
	for _, got := range []string{secret.String(), secret.GoString(), fmt.Sprint(secret), fmt.Sprintf("%#v", *secret)} {
		assert.Equal(t, "(secret)", got, "a secret prints as")
	}
	if got, err := json.Marshal(struct{ Key wire.Secret }{*secret}); string(got) != `{"Key":"(secret)"}` {
		t.Errorf("json.Marshal of a secret = %s, %v; want that it hides", got, err)
	}
}

func TestNewSecretRefusesWithoutRepeating(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"nothing", ""},
		{"no base64", "not/a key at all"},
		{"base64 cut short", developmentKey[:len(developmentKey)-3]},
		{"the URL's alphabet", "-_-_"},
	} {
		secret, err := wire.NewSecret(row.text)
		assert.Truef(t, secret == nil && errors.Is(err, wire.ErrSecret),
			"%s: NewSecret(%q) = %v, %v; want %v", row.name, row.text, secret, err, wire.ErrSecret)
		assert.Truef(t, row.text == "" || !strings.Contains(fmt.Sprint(err), row.text[:4]),
			"%s: NewSecret(%q) repeats it: %v", row.name, row.text, err)
	}
}

func FuzzParseAuthorization(f *testing.F) {
	f.Add("SharedKeyLite races:8i/yEbcxV1qp+XJZwOUeD7lNAchk60GwT8lkMPxh9F0=")
	f.Add("sharedkey a:AAA=")
	f.Add("SharedKey a:b:====")
	f.Fuzz(func(t *testing.T, header string) {
		got, ok := wire.ParseAuthorization(header)
		if !ok {
			return
		}
		again := got.Scheme.String() + " " + got.Account + ":" + got.Signature
		if !strings.EqualFold(again, header) || strings.Count(header, " ") != 1 || got.Account == "" {
			t.Fatalf("ParseAuthorization(%q) = %+v; want all of it", header, got)
		}
		if developmentSecret(t).Verify(got.Scheme, &wire.Signable{Account: got.Account}, got.Signature) {
			t.Fatalf("Verify accepts the signature of %q", header)
		}
	})
}
