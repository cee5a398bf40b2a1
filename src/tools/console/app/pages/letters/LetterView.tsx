import { useState } from 'preact/hooks'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { type Fact, Facts, Id } from '../../parts/Id.tsx'
import { Status } from '../../parts/Status.tsx'
import { Text } from '../../parts/Text.tsx'
import { Time } from '../../parts/Time.tsx'
import { address, href } from '../../route.ts'
import { session } from '../../api.ts'
import { useQueues } from '../../counts.ts'
import { type Letter, requestOf } from './answers.ts'
import { Crumbs } from './Crumbs.tsx'
import { LetterActions } from './LetterActions.tsx'
import { LookButton } from './look.tsx'
import { useLetter } from './useLetter.ts'
import { Body } from '../../parts/Json.tsx'

/** One dead letter, without its body until someone asks for it. */
export function LetterView() {
  const { letter, answer, failure, loading, isAsked, ask, refresh } = useLetter(false)
  return (
    <>
      <Crumbs />
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {!isAsked && <Price ask={ask} />}
      {loading && <Skeleton lines={8} />}
      {/* A payload that was asked for is not a wish to see the next one. */}
      {letter !== undefined && <Shown key={letter.messageId} letter={letter} />}
      {letter === undefined && answer !== undefined && <Gone />}
      <AsCommand of={answer} />
    </>
  )
}

function Price({ ask }: { readonly ask: () => void }) {
  const { answer } = useQueues()
  return (
    <LookButton queues={answer?.queues} queue={String(address.value.query['queue'])} ask={ask} />
  )
}

export function Gone() {
  return (
    <Empty title="This dead letter is not on the queue.">
      It was redriven, edited or removed, or another reader holds it for up to a minute.{' '}
      <a href="/history?action=dlq">The history</a> shows who did what.
    </Empty>
  )
}

function Shown({ letter }: { readonly letter: Letter }) {
  const { messageId, reason, of, error = '', stack, attributes } = letter
  const { query } = address.value
  const entries = Object.entries(attributes)
  return (
    <>
      <div class="bar">
        <h2>
          <Text of={letter.run ?? letter.uniquerequestid} />
        </h2>
        <LetterActions count={1} chosen={new Set([messageId])} reasons={[reason]} />
      </div>
      <p class="headline">
        <Status of={reason} tone="bad" /> of <Text of={of} />
        {error !== '' && (
          <>
            {': '}
            <Text of={error} />
          </>
        )}
      </p>
      {stack !== undefined && <Stack of={stack} />}
      <Facts of={factsOf(letter)} />
      {entries.length > 0 && (
        <section>
          <h3>Attributes</h3>
          <Facts of={entries.map(([name, value]) => ({ name, value: <Text of={value} /> }))} />
        </section>
      )}
      <section>
        <h3>Payload</h3>
        {letter.payload === undefined ? (
          <Payload letter={letter} />
        ) : (
          <p>
            It is not in the message: <Text of={letter.payload} />
          </p>
        )}
        {letter.payload === undefined && session.value?.canChange !== false && (
          <p class="actions">
            <a class="button" href={href('/letters', { ...query, edit: '1' })}>
              Edit the payload
            </a>
          </p>
        )}
      </section>
    </>
  )
}

/** Frames and causes, folded: the error above says what, they say where. */
function Stack({ of }: { readonly of: string }) {
  const [first = '', ...rest] = of.split('\n')
  return (
    <details class="stack">
      <summary>
        <code>
          <Text of={first.trim()} />
        </code>
        {rest.length > 0 && <span class="faint"> and {rest.length} more</span>}
      </summary>
      <pre>
        <Text of={of} lines />
      </pre>
    </details>
  )
}

function factsOf(letter: Letter): readonly (Fact | undefined)[] {
  const { identity, attempts, death, received, sentAt, firstSentAt, flow, movedFrom } = letter
  const request = requestOf(letter)
  return [
    {
      name: 'Request',
      value: (
        <Id
          of={letter.uniquerequestid}
          to={request === undefined ? null : { path: '/request', query: request }}
          copies
        />
      ),
    },
    { name: 'Identity', value: IDENTITY[identity] },
    letter.flow === undefined
      ? undefined
      : {
          name: 'Flow',
          value: <Id of={flow ?? ''} to={{ path: '/request', query: { id: flow } }} />,
        },
    letter.run === undefined
      ? undefined
      : { name: 'Run', value: <Id of={letter.run} to={null} copies /> },
    {
      name: 'Queue',
      value: (
        <a href={href('/letters', { queue: letter.queue })}>
          <Text of={letter.queue} />
        </a>
      ),
    },
    { name: 'Attempts', value: attempts ?? 'not counted' },
    death === undefined ? undefined : { name: 'Dead-lettered', value: `${death} times` },
    { name: 'Dead since', value: <Time at={sentAt} /> },
    firstSentAt === undefined
      ? undefined
      : { name: 'First sent', value: <Time at={firstSentAt} /> },
    { name: 'Looked at', value: `${received} times` },
    { name: 'SQS message', value: <Id of={letter.messageId} to={null} copies /> },
    movedFrom === undefined
      ? undefined
      : { name: 'Moved by SQS from', value: <Text of={movedFrom} /> },
    letter.messageGroup === undefined
      ? undefined
      : { name: 'Message group', value: <Text of={letter.messageGroup} /> },
  ]
}

const IDENTITY = {
  stamped: 'on the message',
  sns: 'the SNS message id',
  message: 'the SQS message id',
} as const

/** Bodies may hold personal data: each is a request of its own, and only when a person asks. */
function Payload({ letter: { bytes } }: { readonly letter: Letter }) {
  const [asked, setAsked] = useState(false)
  if (asked) return <AskedPayload />
  return (
    <p class="actions">
      <button type="button" onClick={() => setAsked(true)}>
        Show the payload ({bytes.toLocaleString('en')} bytes)
      </button>
      <span class="faint">It may hold personal data. Showing it receives the message again.</span>
    </p>
  )
}

function AskedPayload() {
  const { letter, answer, failure, loading, isAsked, ask, refresh } = useLetter(true)
  if (!isAsked) return <Price ask={ask} />
  if (failure !== undefined) return <Failure of={failure} again={refresh} />
  if (loading) return <Skeleton lines={2} />
  return letter === undefined ? answer && <Gone /> : <Body of={letter.body} />
}
