import type { Item } from '../../../store/store.ts'
import { itemKey } from '../../../sweeper/address.ts'
import type { KeptFacts } from './otherFacts.ts'
import { attributesOf } from './otherState.ts'
import { secondsIn } from './storedValues.ts'

type KeptState = Omit<KeptFacts, 'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice'>

/** `input`, `input#ID#STAGE`: a payload. */
const INPUT = /^input(?:#(.*)#([^#]*))?$/s
/** `answer#ID#STAGE:NAME`: the result of an outside call. */
const RESULT = /^answer#(.*)#([^#:]*):(.*)$/s
/** `await#STEP#ID#STEP-ID#HASH`: an answer that is kept for a join. */
const ANSWER = /^await#([^#]*)#(.*)#[^#]*#[^#]*$/s

/** Whether it holds content, of which only the size is shown: it may be private. */
export function isKept(item: Item): boolean {
  const { sk } = itemKey(item)
  return INPUT.test(sk) || RESULT.test(sk) || (ANSWER.test(sk) && typeof item['body'] === 'string')
}

export function keptState(item: Item): KeptState {
  const { sk } = itemKey(item)
  const { body, answer, ttl, externalId, ...rest } = item
  const common = {
    kind: 'kept',
    bytes: bytesOf(RESULT.test(sk) ? answer : body),
    keptUntil: secondsIn(ttl),
    attributes: attributesOf(rest),
  } as const
  const [, ofResult, stage, call] = RESULT.exec(sk) ?? []
  if (ofResult !== undefined) {
    return { ...common, status: 'result', request: ofResult, stage, name: call }
  }
  const [, step, ofAnswer] = ANSWER.exec(sk) ?? []
  if (ofAnswer !== undefined) {
    const name = typeof externalId === 'string' ? externalId : undefined
    return { ...common, status: 'answer', request: ofAnswer, stage: step, name }
  }
  const [, request, ofStage] = INPUT.exec(sk) ?? []
  return { ...common, status: 'payload', request, stage: ofStage, name: undefined }
}

function bytesOf(content: unknown): number {
  return Buffer.byteLength(typeof content === 'string' ? content : '')
}
