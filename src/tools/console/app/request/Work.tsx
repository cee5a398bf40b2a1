import { Id } from '../parts/Id.tsx'
import { Text } from '../parts/Text.tsx'
import type { FactsOf } from './item.ts'

type Token = FactsOf<'request' | 'key' | 'undo'>
type Call = Token['calls'][number]

const STATES = {
  done: 'made',
  unknown: 'outcome unknown',
  notMade: 'not made',
  other: 'other',
} as const
const GLYPHS = { done: '●', unknown: '?', notMade: '○', other: '·' } as const

/** What attempts have done: effects, outside calls, messages. */
export function Work({ effects, calls, sent }: Pick<Token, 'effects' | 'calls' | 'sent'>) {
  if (effects.length + calls.length + sent.length === 0) return null
  return (
    <ul class="work">
      {effects.map((name) => (
        <li key={`effect ${name}`}>
          <span class="glyph" aria-hidden="true">
            ◆
          </span>
          effect <Text of={name} />
        </li>
      ))}
      {calls.map(({ name, state, key, resultBytes }) => (
        <li key={`call ${name}`} class={state === 'unknown' ? 'tone-bad' : ''}>
          <span class="glyph" aria-hidden="true">
            {GLYPHS[state]}
          </span>
          call <Text of={name} />: {STATES[state]}
          {resultBytes !== undefined && <span class="faint"> {resultBytes} bytes kept</span>}
          {key !== undefined && (
            <span class="faint">
              {' '}
              key sent <Id of={key} to={null} copies />
            </span>
          )}
        </li>
      ))}
      {sent.map(({ name, id }) => (
        <li key={`sent ${name} ${id}`}>
          <span class="glyph" aria-hidden="true">
            ➤
          </span>
          sent <Text of={name} /> <Id of={id} to={{ path: '/search', query: { id } }} />
        </li>
      ))}
    </ul>
  )
}

/** Calls in one line. */
export function callsText(calls: readonly Call[]): string {
  return calls.map(({ name, state }) => `${GLYPHS[state]} ${name}`).join(' ')
}
