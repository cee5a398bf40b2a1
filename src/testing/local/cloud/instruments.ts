import { lazily } from '../../../library/base/lazily.ts'
import type { Disposers } from './openCloud.ts'
import { clientOf, type Endpoints } from '../sdk/clients.ts'
import { keyNamesOf, rawTopicsOf, type CloudDescription } from '../description/description.ts'
import type { DescribeCall } from '../faults/items.ts'
import { conflicts } from '../faults/conflicts.ts'
import { staleReads } from '../faults/staleReads.ts'
import type { Instruments, SdkCall } from '../sdk/instrument.ts'
import { faultMiddleware, silentServer } from '../faults/faultMiddleware.ts'
import { describeCall } from '../observe/describeCall.ts'
import { awsValidation } from '../sdk/awsValidation.ts'

/** One set for all clients of a cloud, because conflicts and stale reads depend on what the other clients write. */
export function makeInstruments(
  description: CloudDescription,
  endpoints: Endpoints,
  disposers: Disposers,
): Instruments {
  const rawTopics = rawTopicsOf(description)
  const keyNames = keyNamesOf(description)
  const describe: DescribeCall = (action, input) => describeCall(action, input, keyNames)
  const silent = silentServer()
  disposers.push(silent.stop)
  const validated = awsValidation((arn) => rawTopics.has(arn))
  const stale = staleReads(keyNames, describe, readerPastFaults(endpoints, disposers))
  const struck = faultMiddleware(async (call) => divertedTo(await silent.port(), call), describe)
  return [
    { name: 'Strictness', place: 'outermost', middleware: validated },
    { name: 'Conflicts', place: 'perCall', middleware: conflicts(keyNames, describe) },
    { name: 'StaleReads', place: 'perCall', middleware: stale },
    { name: 'Faults', place: 'innermost', middleware: struck },
  ]
}

/** Reads with a client of its own, which is not instrumented. */
function readerPastFaults(
  { dynamodb: endpoint }: Endpoints,
  disposers: Disposers,
): Parameters<typeof staleReads>[2] {
  const open = lazily(async () => {
    const sdk = await import('@aws-sdk/client-dynamodb')
    const client = new sdk.DynamoDBClient(clientOf(endpoint))
    disposers.push(async () => client.destroy())
    return { sdk, client }
  })
  return async ({ table: TableName, key: Key }) => {
    const { sdk, client } = await open()
    const read = new sdk.GetItemCommand({ TableName, Key, ConsistentRead: true })
    return (await client.send(read)).Item
  }
}

/** The request must keep its class: the SDK's HTTP handler calls its `clone`. */
function divertedTo(port: number, call: SdkCall): SdkCall {
  const { request } = call
  if (typeof request !== 'object' || request === null) return call
  const prototype = Object.getPrototypeOf(request) as object
  const to = { ...request, protocol: 'http:', hostname: '127.0.0.1', port }
  return { ...call, request: Object.setPrototypeOf(to, prototype) as object }
}
