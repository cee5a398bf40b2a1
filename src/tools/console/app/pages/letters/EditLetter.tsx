import { useState } from 'preact/hooks'
import type { JsonChange } from '../../../../operator/dlq/jsonChange.ts'
import { shellWord } from '../../../../operator/text/commandLine.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { Facts } from '../../parts/Id.tsx'
import { Failure, Skeleton } from '../../parts/standIns.tsx'
import { planChange } from '../../parts/plans.ts'
import { Text } from '../../parts/Text.tsx'
import { go } from '../../route.ts'
import { questions } from '../../api.ts'
import type { Letter } from './answers.ts'
import { Crumbs } from './Crumbs.tsx'
import { expectationsOf } from './expectations.ts'
import { type Edit, editOf } from './payloadChanges.ts'
import { Gone } from './LetterView.tsx'
import { useLetter } from './useLetter.ts'
import { jsonIn } from '../../parts/Json.tsx'

/** Corrects the payload of one dead letter. Its identity stays, so that nothing it has done is done again. */
export function EditLetter() {
  const { letter, answer, failure, loading, isAsked, ask, refresh } = useLetter(true)
  return (
    <>
      <Crumbs />
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {!isAsked && (
        <p>
          <button type="button" class="main" onClick={ask}>
            Receive its payload
          </button>
        </p>
      )}
      {loading && <Skeleton lines={8} />}
      {letter !== undefined && <Editor key={letter.messageId} letter={letter} />}
      {letter === undefined && answer !== undefined && <Gone />}
      <AsCommand of={answer} />
    </>
  )
}

function Editor({ letter }: { readonly letter: Letter }) {
  const { body, queue, uniquerequestid: id } = letter
  const json = typeof body === 'string' ? jsonIn(body) : undefined
  if (typeof body !== 'string' || json === undefined) {
    const command = `lineclear dlq edit ${shellWord(queue)} --id ${letter.messageId} --to-file payload.txt`
    return (
      <p>
        The payload is not JSON, or too large to edit here. Type{' '}
        <code>
          <Text of={command} />
        </code>
        , correct the file, and give it with <code>--from-file</code>.
      </p>
    )
  }
  return (
    <>
      <h2>
        <Text of={id} />
      </h2>
      <Facts
        of={[
          { name: 'Identity, locked', value: <Text of={id} /> },
          { name: 'Queue', value: <Text of={queue} /> },
          { name: 'Refused because', value: <Text of={letter.error ?? 'no error is known'} /> },
        ]}
      />
      <Form letter={letter} body={body} pretty={JSON.stringify(json.value, undefined, 2)} />
    </>
  )
}

interface FormProps {
  readonly letter: Letter
  readonly body: string
  readonly pretty: string
}

function Form({ letter, body, pretty }: FormProps) {
  const [typed, setTyped] = useState(pretty)
  const edit = editOf(body, typed)
  const asksConsumer = letter.flow === undefined && /^(?:queue|topic) |^not said$/.test(letter.of)
  const plan = (): void => {
    if (edit.kind !== 'changes') return
    planChange({
      action: 'dlq.edit',
      given: { queue: letter.queue, id: letter.messageId, set: edit.set },
      title: `Edit ${letter.uniquerequestid}`,
      ...(asksConsumer && { ask: questions('dlq.edit', 'consumer') }),
      applied: () => go('/letters', { queue: letter.queue, id: letter.uniquerequestid }),
    })
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        plan()
      }}
    >
      <label>
        <span>Payload</span>
        <textarea
          class="code"
          spellcheck={false}
          rows={Math.min(24, pretty.split('\n').length + 2)}
          value={typed}
          aria-describedby="edit-state"
          aria-invalid={edit.kind === 'wrong'}
          onInput={({ currentTarget: { value } }) => setTyped(value)}
        />
      </label>
      <div id="edit-state" role="status">
        <State edit={edit} />
        <Expectations error={letter.error ?? ''} typed={typed} />
      </div>
      <p class="actions">
        <button type="submit" class="main" disabled={edit.kind !== 'changes'}>
          Show the plan…
        </button>
        <button type="button" onClick={() => setTyped(pretty)}>
          Undo all edits
        </button>
      </p>
    </form>
  )
}

function State({ edit }: { readonly edit: Edit }) {
  if (edit.kind === 'same') return <p class="faint">Nothing is changed yet.</p>
  if (edit.kind === 'wrong') {
    return (
      <p class="tone-bad">
        <span aria-hidden="true">✖ </span>
        <Text of={edit.because} />
      </p>
    )
  }
  return (
    <ul class="diff">
      {edit.changes.map((change) => (
        <Change key={change.path} of={change} />
      ))}
    </ul>
  )
}

function Change({ of: { path, before, after } }: { readonly of: JsonChange }) {
  return (
    <li>
      <code>
        <Text of={path === '' ? 'the whole' : path} />
      </code>
      <del>
        <Text of={written(before)} />
      </del>
      <span aria-hidden="true">→</span>
      <span class="unseen">becomes</span>
      <ins>
        <Text of={written(after)} />
      </ins>
    </li>
  )
}

/** Characters of one value. */
const SHOWN = 300

function written(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

/** Its schema is with its consumer; what the error says of it can be seen. */
function Expectations({ error, typed }: { readonly error: string; readonly typed: string }) {
  const json = jsonIn(typed)
  const expectations = json === undefined ? [] : expectationsOf(error, json.value)
  return (
    <ul class="lines">
      {expectations.map(({ path, expected, met }) => (
        <li key={path} class={met === true ? 'tone-good' : 'tone-warn'}>
          <span aria-hidden="true">{met === true ? '✔ ' : '! '}</span>
          <code>
            <Text of={path} />
          </code>{' '}
          {met === true ? `is a ${expected} now` : `the schema expected a ${expected}`}
        </li>
      ))}
    </ul>
  )
}
