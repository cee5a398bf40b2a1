import type { KeyNames, CallDescription } from '../faults/items.ts'
import {
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
} from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import { parseObject } from '../../../library/protocol/record/envelope/json.ts'
import { readInput, type SdkCommand } from '../../queues/commands.ts'
import type { CommandEntry } from '../../queues/refuseEntry.ts'
import { type Meaning, itemMeaning } from './describeItem.ts'
import { type ItemOperation, operationsOf } from '../faults/operation.ts'

/** Characters of a key, and of the words. */
const LONGEST_KEY = 100
const LONGEST_WORDS = 300

/**
 * Says what an SDK call does, from its input alone: for Lineclear's own items what the write means, for others the table and the
 * key. It has no payload, and no value but those of keys.
 * @param action such as `UpdateItem`
 * @param keyNames the key attributes of the tables, to find the key of an item that is put
 */
export function describeCall(
  action: string,
  input: object,
  keyNames: KeyNames = () => undefined,
): CallDescription {
  const operations = operationsOf(action, input)
  const described =
    operations.length > 0
      ? describeOperations(action, operations, keyNames)
      : (describeMessages(action, input) ?? describeOther(action, input))
  return { ...described, words: shorten(described.words, LONGEST_WORDS) }
}

interface Described {
  readonly operation: ItemOperation
  readonly meaning: Meaning | undefined
}

function describeOperations(
  action: string,
  operations: readonly ItemOperation[],
  keyNames: KeyNames,
): CallDescription {
  const all = operations.map((operation) => ({ operation, meaning: itemMeaning(operation) }))
  const own = all.flatMap(({ meaning }) => meaning ?? [])
  const others = all.filter(({ meaning }) => meaning === undefined)
  // In a transaction Lineclear's part is the mark; what is about is the item of the user.
  const isTransaction = action.startsWith('Transact')
  const ownWords = phrasesOf(own.map(({ verb, of }) => [verb, of] as const))
  const userWords = phrasesOf(
    others.map(({ operation }) => {
      return [operation.does, `${operation.table} ${keyText(operation, keyNames)}`.trim()]
    }),
  )
  const words = [ownWords, userWords].filter((part) => part !== '').join(': ')
  const [subject] = isTransaction && others.length > 0 ? others : all
  const [first] = own
  const requests = [...new Set(own.flatMap(({ request }) => request ?? []))]
  return {
    words,
    ...(subject && about(subject, keyNames)),
    ...(first?.effect !== undefined && { effect: first.effect }),
    ...(requests.length > 0 && { requests }),
  }
}

function about(
  { operation, meaning }: Described,
  keyNames: KeyNames,
): Pick<CallDescription, 'table' | 'key'> {
  const key = meaning === undefined ? keyText(operation, keyNames) : meaning.of
  return { table: operation.table, ...(key !== '' && { key: shorten(key, LONGEST_KEY) }) }
}

/** `claims orders/o-1 and 8 more, completes orders/o-2`: things with the same verb are joined. */
function phrasesOf(parts: readonly (readonly [verb: string, of: string])[]): string {
  const groups = Map.groupBy(parts, ([verb]) => verb)
  const phrases = [...groups].map(([verb, [first, ...more]]) => {
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    return `${verb} ${shorten(first?.[1] ?? '', LONGEST_KEY)}${others}`
  })
  return phrases.join(', ')
}

/** Attributes beside the key would show a payload: without the names of the key nothing is shown. */
function keyText({ table, key, mixed }: ItemOperation, keyNames: KeyNames): string {
  const names = keyNames(table) ?? (mixed ? [] : Object.keys(key))
  const shown = Object.entries(key).filter(([name]) => names.includes(name))
  return shown.map(([name, { S, N }]) => `${name}=${S ?? N ?? '…'}`).join(' ')
}

function describeOther(action: string, input: object): CallDescription {
  const { TableName: table, IndexName: index } = input as {
    readonly TableName?: string
    readonly IndexName?: string
  }
  if (table === undefined) return { words: action }
  const verb = OTHER_VERBS[action] ?? action
  return { words: [verb, table, index && `by ${index}`].filter(Boolean).join(' '), table }
}

const OTHER_VERBS: Readonly<Record<string, string>> = {
  Query: 'queries',
  Scan: 'scans',
  DescribeTable: 'looks at table',
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`.toWellFormed()
}

type Input = SdkCommand['input'] & {
  readonly TargetArn?: string
  readonly QueueName?: string
  readonly Bucket?: string
  readonly Key?: string
}

/** What a call of SQS, SNS or S3 does. undefined for an action that it does not know. */
function describeMessages(action: string, input: Input): CallDescription | undefined {
  const to = (input.QueueUrl ?? input.QueueName ?? input.TopicArn ?? input.TargetArn ?? '')
    .split(/[/:]/)
    .at(-1)
  const { entries } = readInput(action, input)
  const many = entries.length === 1 ? '' : `${entries.length} messages `
  const hides = entries[0]?.VisibilityTimeout === 0 ? 'shows' : 'hides'
  const about = (words: string): CallDescription => ({ words, ...(to && { to }) })
  switch (action.replace(/Batch$/, '')) {
    case 'SendMessage':
      return { ...about(`${sendVerb(entries)} ${many}to ${to}`), ...idsOf(entries) }
    case 'Publish':
      return { ...about(`publishes ${many}to ${to}`), ...idsOf(entries) }
    case 'ReceiveMessage':
      return about(`receives from ${to}`)
    case 'DeleteMessage':
      return about(`deletes ${many || 'a message '}from ${to}`)
    case 'ChangeMessageVisibility':
      return about(`${hides} ${many || 'a message '}on ${to}`)
    case 'GetQueueAttributes':
    case 'GetQueueUrl':
      return about(`looks at queue ${to}`)
    case 'PutObject':
      return { words: `stores ${input.Bucket}/${input.Key}` }
    case 'GetObject':
    case 'HeadObject':
      return { words: `looks for ${input.Bucket}/${input.Key}` }
    default:
      return undefined
  }
}

/** The first message decides, because a call sends messages of one kind. */
function sendVerb([first]: readonly CommandEntry[]): string {
  const packed = parseObject(first?.MessageAttributes?.[PACKED_ATTRIBUTE]?.StringValue ?? '')
  if (packed?.['death'] !== undefined) return 'sends a dead letter'
  return Number(packed?.['resendNumber'] ?? 0) > 0 ? 'sends a retry' : 'sends'
}

function idsOf(entries: readonly CommandEntry[]): { readonly sends?: readonly string[] } {
  const ids = entries.flatMap(
    ({ MessageAttributes }) => MessageAttributes?.[ID_ATTRIBUTE]?.StringValue ?? [],
  )
  return ids.length === 0 ? {} : { sends: ids }
}
