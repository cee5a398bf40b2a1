import { displayId, splitId } from '../../../sweeper/address.ts'
import type { LogEntry } from './logEntries.ts'

/** What to look for in a log. */
export interface LogQuery {
  /** `consumer/ID`, `flow/KEY`, `scope/KEY`; or a bare id: of a request, a message, a key, an answer. */
  readonly id: string
  /** Flows: only lines about this request. */
  readonly request?: string | undefined
}

/** Matches lines about the id, and lines about requests that conflicted with it: these name it as `by`, or have the same key. */
export function isAbout({ id, request }: LogQuery): (entry: LogEntry) => boolean {
  const full = displayId(id)
  const { owner, rest } = splitId(id)
  const bare = !full.includes('/')
  return ({ fields }) => {
    if (request !== undefined && !REQUESTS.some((name) => fields[name] === request)) return false
    const addresses = ADDRESSES.map((name) => fields[name]).filter((pk) => typeof pk === 'string')
    if (bare) {
      return (
        NAMES.some((name) => fields[name] === full) ||
        addresses.some((pk) => splitId(pk).rest === full)
      )
    }
    return (
      addresses.some((pk) => displayId(pk) === full) ||
      (isConsumerOf(fields['consumer'], owner) && NAMES.some((name) => fields[name] === rest))
    )
  }
}

const REQUESTS = ['uniquerequestid', 'by']
const NAMES = [...REQUESTS, 'key', 'messageId', 'externalId']
/** Log fields of the sweeper and of functions that hold an id of the table. */
const ADDRESSES = ['pk', 'lockToken']

/** The consumers of a flow are named `flow.stage`. */
function isConsumerOf(consumer: unknown, owner: string): boolean {
  return typeof consumer === 'string' && (consumer === owner || consumer.startsWith(`${owner}.`))
}

/** The table's id of the item that a line is about. Undefined: the line does not name it. */
export function tableIdOf({ fields }: LogEntry): string | undefined {
  const { consumer, stage, key, uniquerequestid, pk, lockToken } = fields
  const address = pk ?? lockToken
  if (typeof address === 'string') return displayId(address)
  if (typeof consumer !== 'string') return undefined
  if (typeof key === 'string') {
    const part = typeof stage === 'string' ? `.${stage}` : ''
    const flow = consumer.endsWith(part)
      ? consumer.slice(0, consumer.length - part.length)
      : consumer
    return `${flow}/${key}`
  }
  return typeof uniquerequestid === 'string' ? `${consumer}/${uniquerequestid}` : undefined
}
