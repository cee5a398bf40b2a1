import { ErrorView } from '../../parts/ErrorView.tsx'
import { LetterPayload } from '../../parts/LetterPayload.tsx'
import { Answer } from '../../parts/standIns.tsx'
import { type Fact, FactList, Id } from '../../parts/Id.tsx'
import { Status } from '../../parts/Status.tsx'
import { Time } from '../../parts/Time.tsx'
import { address, href } from '../../route.ts'
import { session } from '../../api.ts'
import { type Letter, requestOf } from './answers.ts'
import { Crumbs } from './LetterFilters.tsx'
import { LetterActions } from './LetterActions.tsx'
import { Gone, LookButton, useLetter } from './look.tsx'

/** One dead letter, without its body until someone asks for it. */
export function LetterView() {
  const look = useLetter(false)
  return (
    <>
      <Crumbs />
      <LookButton of={look} />
      {/* A payload that was asked for is not a wish to see the next one. */}
      {look.letter !== undefined && <Shown key={look.letter.messageId} letter={look.letter} />}
      <Answer of={look}>
        {() => look.letter === undefined && <Gone title="This dead letter is not on the queue." />}
      </Answer>
    </>
  )
}

function Shown({ letter }: { readonly letter: Letter }) {
  const { messageId, queue, reason, of, error, stack, attributes } = letter
  const { query } = address.value
  const entries = Object.entries(attributes)
  return (
    <>
      <div class="bar">
        <h2>{letter.run ?? letter.uniquerequestid}</h2>
        <LetterActions count={1} chosen={new Set([messageId])} reasons={[reason]} />
      </div>
      <p class="headline">
        <Status of={reason} tone="bad" /> of {of}
      </p>
      <ErrorView error={error} stack={stack} />
      <FactList of={factsOf(letter)} />
      {entries.length > 0 && (
        <section>
          <h3>Attributes</h3>
          <FactList of={entries.map(([name, value]) => ({ name, value }))} />
        </section>
      )}
      <section>
        <h3>Payload</h3>
        {letter.payload === undefined ? (
          <LetterPayload queue={queue} id={messageId} />
        ) : (
          <p>It is not in the message: {letter.payload}</p>
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

function factsOf(letter: Letter): readonly (Fact | false)[] {
  const { identity, attempts, death, received, sentAt, firstSentAt, flow, run, movedFrom } = letter
  const { messageGroup } = letter
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
    flow !== undefined && { name: 'Flow', value: <Id of={flow} /> },
    run !== undefined && { name: 'Run', value: <Id of={run} to={null} copies /> },
    {
      name: 'Queue',
      value: <a href={href('/letters', { queue: letter.queue })}>{letter.queue}</a>,
    },
    { name: 'Attempts', value: attempts ?? 'not counted' },
    death !== undefined && { name: 'Dead-lettered', value: `${death} times` },
    { name: 'Dead since', value: <Time at={sentAt} /> },
    firstSentAt !== undefined && { name: 'First sent', value: <Time at={firstSentAt} /> },
    { name: 'Looked at', value: `${received} times` },
    { name: 'SQS message', value: <Id of={letter.messageId} to={null} copies /> },
    movedFrom !== undefined && { name: 'Moved by SQS from', value: movedFrom },
    messageGroup !== undefined && { name: 'Message group', value: messageGroup },
  ]
}

const IDENTITY = {
  stamped: 'on the message',
  sns: 'the SNS message id',
  message: 'the SQS message id',
} as const
