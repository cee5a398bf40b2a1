import { Id } from '../parts/Id.tsx'
import { Text } from '../parts/Text.tsx'
import { href } from '../route.ts'
import type { Invocation } from '../stream/activity.ts'
import { activity, frames, useStream } from '../stream/stream.ts'
import { Calls } from './Calls.tsx'
import { faultWords } from './callMark.ts'
import { endOf, type Followed, followedOf } from './ending.ts'
import { lastSent } from './sending.ts'

/** More are counted, not listed. */
const SHOWN = 20

/** What became of the requests that were sent last. */
export function SentList() {
  useStream()
  void frames.value
  const { value: sent } = lastSent
  if (sent.length === 0) return null
  const followed = followedOf(sent, activity.invocations)
  const counts = Map.groupBy(followed, (each) => lookOf(each).word)
  return (
    <section class="dev-part sent-list" aria-label="What was sent">
      <header>
        <h2>{sent.length === 1 ? 'Sent' : `Sent ${sent.length}`}</h2>
        <p class="faint" role="status">
          {[...counts].map(([word, list]) => `${list.length} ${word}`).join(' · ')}
        </p>
      </header>
      <ul>
        {followed.slice(0, SHOWN).map((each) => (
          <SentLine key={each.sent.number} of={each} />
        ))}
      </ul>
      {sent.length > SHOWN && (
        <p class="faint">
          {sent.length - SHOWN} more: <a href={href('/dev')}>see them run</a>
        </p>
      )}
    </section>
  )
}

function SentLine({ of }: { readonly of: Followed }) {
  const { sent, invocation, times } = of
  const { tone, glyph, word } = lookOf(of)
  return (
    <li>
      <span class="faint sent-number">{sent.number}</span>
      <Id of={sent.request} />
      <span class="faint">
        <Text of={sent.bySns === undefined ? `→ ${sent.to}` : `→ ${sent.bySns} → ${sent.to}`} />
      </span>
      <span class={`status tone-${tone}`}>
        <span class="glyph" aria-hidden="true">
          {glyph}
        </span>
        {word}
      </span>
      {times > 1 && <span class="faint">in {times} invocations</span>}
      {invocation !== undefined && (
        <Calls
          of={invocation.calls}
          struck={invocation.faults.map(({ fault }) => faultWords(fault))}
        />
      )}
    </li>
  )
}

function lookOf({ invocation, messages }: Followed): ReturnType<typeof endOf> {
  return invocation === undefined
    ? { tone: 'quiet', glyph: '○', word: 'not received yet' }
    : endOf({ end: invocation.end, messages, logs: ownLogs(invocation, messages) })
}

/** The others are of other messages of the invocation. */
function ownLogs({ logs, messages: all }: Invocation, messages: Invocation['messages']) {
  if (messages.length === all.length) return logs
  const ids = new Set(
    messages.flatMap(({ messageId, uniqueRequestId }) => [messageId, uniqueRequestId]),
  )
  return logs.filter(({ fields: { messageId, uniquerequestid } }) =>
    [messageId, uniquerequestid].some((id) => typeof id === 'string' && ids.has(id)),
  )
}
