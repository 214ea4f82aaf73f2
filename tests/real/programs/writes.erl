#!/usr/bin/env escript
%% 50 writes to a buffer by erlang-cl.
main(_) ->
    {ok, [Platform | _]} = cl:get_platform_ids(),
    {ok, [Device | _]} = cl:get_device_ids(Platform, all),
    {ok, Context} = cl:create_context([Device]),
    {ok, Queue} = cl:create_queue(Context, Device, []),
    {ok, Buffer} = cl:create_buffer(Context, [read_write], 4096),
    Data = binary:copy(<<1>>, 4096),
    lists:foreach(fun(_) ->
        {ok, Event} = cl:enqueue_write_buffer(Queue, Buffer, 0, 4096, Data, []),
        {ok, completed} = cl:wait(Event)
    end, lists:seq(1, 50)),
    ok = cl:finish(Queue),
    io:format("50 writes~n").
