import { useState } from 'preact/hooks'
import type { SaveAnswer } from '../../dev/types.ts'
import { postAnswer } from '../api.ts'
import { Copied } from '../parts/AsCommand.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { ApiFailure } from '../parts/standIns.tsx'
import { counted } from '../parts/words.ts'
import { useTry } from './devState.ts'

export function SaveTest() {
  const [answer, setAnswer] = useState<SaveAnswer | undefined>(undefined)
  const { failure, run } = useTry()
  return (
    <>
      <button
        type="button"
        onClick={() => run(async () => setAnswer(await postAnswer<SaveAnswer>('dev/save', {})))}
      >
        Save this run as a test
      </button>
      {failure !== undefined && <ApiFailure of={failure} />}
      {answer !== undefined && (
        <Dialog title={`Written: ${answer.file}`} close={() => setAnswer(undefined)}>
          <p>
            {counted(answer.messages, 'message')} and {counted(answer.faults, 'fault')} of this run,
            with its seed. {answer.was}.
          </p>
          <pre class="saved" tabIndex={0} aria-label="The test">
            {answer.text}
          </pre>
          <p class="row">
            <span class="faint">It fails while a book is wrong. Run it:</span>
            <Copied of={answer.run} what="Command" />
          </p>
        </Dialog>
      )}
    </>
  )
}
