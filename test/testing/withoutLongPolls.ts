import type { ReceiveMessageCommandInput } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'

/** Here one server has the whole queue: when it answers that nothing is there, a long poll only waits. */
export function withoutLongPolls(cloud: LocalCloud): LocalCloud {
  cloud.sqs.middlewareStack.add(
    (next, { commandName }) =>
      (call) =>
        commandName === 'ReceiveMessageCommand'
          ? next({ ...call, input: answeredAtOnce(call.input as ReceiveMessageCommandInput) })
          : next(call),
    { step: 'initialize', name: 'withoutLongPolls' },
  )
  return cloud
}

function answeredAtOnce(input: ReceiveMessageCommandInput): ReceiveMessageCommandInput {
  return { ...input, WaitTimeSeconds: 0 }
}
