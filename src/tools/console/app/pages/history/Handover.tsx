import { useState } from 'preact/hooks'
import { copy } from '../../parts/AsCommand.tsx'
import { Field, Form } from '../../parts/fields.tsx'
import { Answer } from '../../parts/standIns.tsx'
import { useAnswer } from '../../useAnswer.ts'

/** What the next one has to know, in Markdown. It looks at the queues, so it is asked for once. */
export function Handover() {
  const [note, setNote] = useState('')
  const answered = useAnswer<{ readonly markdown: readonly string[] }>(
    'overview',
    { handover: '1' },
    0,
  )
  return (
    <>
      <p>
        <a href="/history">All changes</a>
      </p>
      <Answer of={answered}>
        {({ markdown }) => {
          const text = withNote(markdown, note.trim()).join('\n')
          return (
            <>
              <Form submit={() => void copy(text, 'Handover')}>
                <Field
                  label="Note"
                  value={note}
                  change={setNote}
                  hint="what else the next one has to know"
                />
                <button type="submit" class="main">
                  Copy as Markdown
                </button>
              </Form>
              <section>
                <pre>{text}</pre>
              </section>
            </>
          )
        }}
      </Answer>
    </>
  )
}

/** Its last line is room for the note. */
function withNote(markdown: readonly string[], note: string): readonly string[] {
  return note === '' ? markdown : [...markdown.slice(0, -1), note]
}
