import type { Seen } from './check.ts'

/** What an engine of ours does otherwise than we assume of AWS, and why that does no harm. */
export interface Otherwise {
  readonly engine: 'local' | 'ministack'
  /** The name of the check. */
  readonly check: string
  /** Null: it knows no such request. */
  readonly seen: string | null
  readonly why: string
}

const LAXER = 'it accepts more than AWS; the local cloud has this rule'

export const OTHERWISE: readonly Otherwise[] = [
  {
    engine: 'local',
    check: 'the move to a dead-letter queue by the receive count',
    seen: 'the same id, its attributes, its source, received 3 times',
    why: 'fauxqs counts the move as a receive; nothing of ours reads the count of a dead letter but to show it',
  },
  {
    engine: 'local',
    check: 'the redrive of SQS itself',
    seen: null,
    why: 'fauxqs 2.4.1 has no such request; lineclear dlq redrive receives and sends',
  },
  {
    engine: 'local',
    check: 'hiding a message that was deleted',
    seen: 'MessageNotInflight: Message does not exist',
    why: 'the name of the API reference; src/send/refusal.ts reads both',
  },
  {
    engine: 'local',
    check: 'eleven attributes, delivered raw',
    seen: 'accepted, and delivered',
    why: 'topics that a description names are refused them; this topic is made later',
  },
  {
    engine: 'local',
    check: 'the tenant of a topic’s message reaches a fair queue',
    seen: 'none',
    why: 'fauxqs 2.4.1 drops it; memoryCloud keeps it',
  },
  {
    engine: 'local',
    check: 'a batch of statements, of which one is refused',
    seen: 'made with its item, ConditionalCheckFailed',
    why: 'as dynoxide 1.2.1; the store reads the item then',
  },
  {
    engine: 'local',
    check: 'set_add to a set that is not there, in a statement',
    seen: 'ValidationError, undefined',
    why: 'as dynoxide 1.2.1; the store makes such an update by UpdateItem then',
  },
  {
    engine: 'ministack',
    check: 'ten message attributes, and eleven',
    seen: 'accepted, accepted',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'a delay of 900 s, and of 901 s',
    seen: 'accepted, accepted',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'one entry of a batch is refused',
    seen: '0 accepted; 1 accepted',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'the redrive of SQS itself',
    seen: null,
    why: 'it has no such request; lineclear dlq redrive receives and sends',
  },
  {
    engine: 'ministack',
    check: 'hiding a message that was deleted',
    seen: 'ReceiptHandleIsInvalid',
    why: 'a name of the API reference; src/send/refusal.ts reads all',
  },
  {
    engine: 'ministack',
    check: 'eleven attributes, delivered raw',
    seen: 'accepted, and delivered',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'a PublishBatch of more than 256 KiB together',
    seen: 'accepted',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'an event to a bus that does not exist',
    seen: 'put, put',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'an event whose detail is no JSON',
    seen: 'put, put',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'OR in the condition of a statement',
    seen: 'ValidationError',
    why: 'the store makes such an update by UpdateItem then',
  },
  {
    engine: 'ministack',
    check: 'a function answers its queue with an empty id',
    seen: 'deleted',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'a function answers its queue with an id that is not in the batch',
    seen: 'deleted',
    why: LAXER,
  },
  {
    engine: 'ministack',
    check: 'a function answers its queue with its id under a wrong name',
    seen: 'deleted',
    why: LAXER,
  },
]

function find(engine: string, name: string): Otherwise | undefined {
  return OTHERWISE.find((each) => each.engine === engine && each.check === name)
}

export function isKnown(engine: string, { check, seen }: Seen): boolean {
  const known = find(engine, check.name)
  return known !== undefined && known.seen === (seen ?? null)
}

export function whyOn(engine: string, check: string): string | undefined {
  return find(engine, check)?.why
}
