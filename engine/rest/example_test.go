package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
)

// A table service on a port of its own: a client signs a request, is refused
// nothing, and the books say so.
func Example() {
	unlimited, err := model.New(model.Off)
	if err != nil {
		panic(err)
	}
	key, err := wire.NewSecret("dGhlIGtleSBvZiB0aGUgYWNjb3VudCBjb250b3Nv")
	if err != nil {
		panic(err)
	}
	real := clock.NewReal()
	handler, err := rest.New(rest.Options{
		Engine:   engine.New(engine.Options{Model: unlimited, Accounts: []string{"contoso"}, Calendar: real}),
		Clock:    real,
		Calendar: real,
		Accounts: []rest.Account{{Name: "contoso", Secret: key}},
	})
	if err != nil {
		panic(err)
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: handler})
	if err != nil {
		panic(err)
	}

	send := func(method, path, body string) {
		request, _ := http.NewRequest(method, server.URL()+path, strings.NewReader(body))
		date := real.Started().UTC().Format(http.TimeFormat)
		request.Header.Set("x-ms-date", date)
		request.Header.Set("Accept", "application/json;odata=nometadata")
		signed := wire.Signable{Method: method, Date: date, Account: "contoso", Path: path}
		request.Header.Set("Authorization", string(key.AppendAuthorization(nil, wire.SharedKeyLite, &signed)))
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		defer reply.Body.Close()
		text, _ := io.ReadAll(reply.Body)
		fmt.Println(reply.Status, strings.Split(string(text), `\nRequestId`)[0])
	}
	send("POST", "/contoso/Tables", `{"TableName":"Registrations"}`)
	send("POST", "/contoso/Tables", `{"TableName":"registrations"}`)
	send("GET", "/contoso/Tables", "")
	if err := server.Close(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%+v\n", handler.Counts())
	// Output:
	// 201 Created {"TableName":"Registrations"}
	// 409 Conflict {"odata.error":{"code":"TableAlreadyExists","message":{"lang":"en-US","value":"The table specified already exists.
	// 200 OK {"value":[{"TableName":"Registrations"}]}
	// {Requests:3 Ok:2 Throttled:0 Failed:1 Entities:0}
}
