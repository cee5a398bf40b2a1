import type { Item } from '../../../store/store.ts'
import { formatValue } from '../text/formatValue.ts'
import type { OtherFacts } from './otherFacts.ts'
import { secondsIn } from './storedValues.ts'

type OtherState = Omit<OtherFacts, 'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice'>

export function otherState({ ttl, ...item }: Item): OtherState {
  const keptUntil = secondsIn(ttl)
  const rest = keptUntil === undefined && ttl !== undefined ? { ...item, ttl } : item
  return { kind: 'other', status: 'stored', keptUntil, attributes: attributesOf(rest) }
}

const KEY = new Set(['pk', 'sk'])
/** Payloads, answers, results, and dead letters that an operator has discarded. */
const CONTENT = new Set(['answer', 'body', 'message', 'result', 'text'])

/** As they are stored, without the key. Of what may be content only the size. */
export function attributesOf(item: Item): OtherFacts['attributes'] {
  return Object.entries(item)
    .filter(([name]) => !KEY.has(name))
    .map(([name, value]) =>
      CONTENT.has(name)
        ? { name, bytes: Buffer.byteLength(formatValue(value)) }
        : { name, value: formatValue(value) },
    )
}
