import { useState } from 'preact/hooks'
import type { SaveAnswer } from '../../dev/types.ts'
import { post } from '../api.ts'
import { Copied } from '../parts/AsCommand.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { Failure } from '../parts/standIns.tsx'
import { Looks } from '../parts/Status.tsx'
import { counted } from '../parts/words.ts'
import { useTry } from './devState.ts'

/** Makes a test of what was sent, and of the faults that struck: it is shown first, and written by a second step. */
export function SaveTest() {
  const [answer, setAnswer] = useState<SaveAnswer | undefined>(undefined)
  const [name, setName] = useState<string | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  const [isWriting, setWriting] = useState(false)
  const { busy, failure, run } = useTry()
  const save = (write: boolean, as?: string): void =>
    run(async () => {
      const body = { write, ...(as !== undefined && { name: as }) }
      setWriting(write)
      setAnswer(await post<SaveAnswer>('dev/save', body))
    })
  const close = (): void => {
    setOpen(false)
    setAnswer(undefined)
    setName(undefined)
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true)
          save(false)
        }}
      >
        Save this run as a test
      </button>
      {isOpen && (
        <Dialog title="Save this run as a test" close={close}>
          {failure !== undefined && <Failure of={failure} />}
          {answer === undefined ? (
            busy && <p class="faint">Preparing the test …</p>
          ) : (
            <div class="form">
              <p>
                {counted(answer.messages, 'message')} and {counted(answer.faults, 'fault')} of this
                run, with its seed. It fails while a book is wrong.
              </p>
              <label>
                <span>File</span>
                <input
                  class="code"
                  value={name ?? baseOf(answer.file)}
                  disabled={answer.written}
                  onChange={({ currentTarget: { value } }) => {
                    setName(value)
                    save(false, value)
                  }}
                />
              </label>
              <pre class="saved" tabIndex={0} aria-label="The test">
                {answer.text}
              </pre>
              <p class="row">
                <span class="faint">{answer.written ? '✔ Written. Run it:' : 'Then run it:'}</span>
                <Copied of={answer.run} what="Command" />
              </p>
              {busy && isWriting && (
                <p role="status">
                  Writing the test and running it once: messages of killed invocations stay hidden
                  for up to a minute …
                </p>
              )}
              {answer.verdict !== undefined && <Verdict of={answer.verdict} />}
              <div class="buttons">
                <button type="button" onClick={close}>
                  {answer.written ? 'Close' : 'Cancel'}
                </button>
                {!answer.written && (
                  <button
                    type="button"
                    class="main"
                    disabled={busy}
                    onClick={() => save(true, name ?? baseOf(answer.file))}
                  >
                    Write {baseOf(answer.file)}
                  </button>
                )}
              </div>
            </div>
          )}
        </Dialog>
      )}
    </>
  )
}

function Verdict({ of }: { readonly of: string }) {
  const isClear = of.startsWith('fails as') || of.startsWith('passes')
  return (
    <p role="status">
      <Looks like={isClear ? { tone: 'good', glyph: '✔' } : { tone: 'warn', glyph: '!' }}>
        {`The test ${of}`}
      </Looks>
    </p>
  )
}

/** It is written beside FILE: the name is what can be changed. */
function baseOf(file: string): string {
  return file.split(/[/\\]/).at(-1) ?? file
}
