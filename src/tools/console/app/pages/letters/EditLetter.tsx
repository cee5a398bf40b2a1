import { useState } from 'preact/hooks'
import { shellWord } from '../../../../operator/text/commandLine.ts'
import { Answer } from '../../parts/standIns.tsx'
import { planChange } from '../../parts/plans.ts'
import { go } from '../../route.ts'
import { questions } from '../../api.ts'
import type { Letter } from './answers.ts'
import { Crumbs } from './LetterFilters.tsx'
import { Gone, LookButton, useLetter } from './look.tsx'
import { type Edit, editOf } from './payloadChanges.ts'
import { Form } from '../../parts/fields.tsx'
import { parseJson } from '../../parts/words.ts'

/** Corrects the payload of one dead letter. Its identity stays, so that nothing it has done is done again. */
export function EditLetter() {
  const look = useLetter(true)
  return (
    <>
      <Crumbs />
      <LookButton of={look} />
      <Answer of={look}>
        {() =>
          look.letter === undefined ? (
            <Gone title="This dead letter is not on the queue." />
          ) : (
            <Editor key={look.letter.messageId} letter={look.letter} />
          )
        }
      </Answer>
    </>
  )
}

function Editor({ letter }: { readonly letter: Letter }) {
  const { body, queue, uniquerequestid: id } = letter
  const json = typeof body === 'string' ? parseJson(body) : {}
  if (typeof body !== 'string' || !('value' in json)) {
    const command = `lineclear dlq edit ${shellWord(queue)} --id ${letter.messageId} --to-file payload.txt`
    return (
      <p>
        The payload is not JSON, or too large to edit here. Type <code>{command}</code>, correct the
        file, and give it with <code>--from-file</code>.
      </p>
    )
  }
  return (
    <>
      <h2>{id}</h2>
      <p>
        Its identity stays. Refused because: <b>{letter.error ?? 'no error is known'}</b>
      </p>
      <PayloadForm letter={letter} body={body} pretty={JSON.stringify(json.value, undefined, 2)} />
    </>
  )
}

interface PayloadFormProps {
  readonly letter: Letter
  readonly body: string
  readonly pretty: string
}

function PayloadForm({ letter, body, pretty }: PayloadFormProps) {
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
    <Form submit={plan}>
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
      <p id="edit-state" role="status" class={edit.kind === 'wrong' ? 'tone-bad' : 'faint'}>
        {says(edit)}
      </p>
      <p class="actions">
        <button type="submit" class="main" disabled={edit.kind !== 'changes'}>
          Show the plan…
        </button>
        <button type="button" onClick={() => setTyped(pretty)}>
          Undo all edits
        </button>
      </p>
    </Form>
  )
}

function says(edit: Edit): string {
  if (edit.kind === 'wrong') return `✖ ${edit.because}`
  return edit.kind === 'same' ? 'Nothing is changed yet.' : 'The plan shows what is changed.'
}
