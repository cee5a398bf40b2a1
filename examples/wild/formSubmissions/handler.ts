import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

/**
 * After the reliability queue of https://github.com/cds-snc/forms-terraform (MIT): a submission goes to the vault with its files, a
 * notice is queued for the owner of the form, and the first copy is removed. There a crash in between queues a second notice, or none.
 */
const Submission = z.object({ submissionID: z.string(), formID: z.string() })

type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

export interface Systems {
  readonly noticesUrl: string
  /** A file is replaced by itself. */
  copyFiles(submissionID: string): Promise<unknown>
  /** What is gone stays gone. */
  remove(submissionID: string): Promise<unknown>
}

export function submissions(given: Given, { noticesUrl, copyFiles, remove }: Systems) {
  return recordHandler(
    { ...given, name: 'submissions', schema: Submission, id: ({ submissionID }) => submissionID },
    async ({ submissionID, formID }, ctx) => {
      await ctx.call('files', () => copyFiles(submissionID))
      await ctx.write('vault', {
        TableName: 'vault',
        Key: { formID, submissionID },
        set: { status: 'New' },
      })
      await ctx.send(noticesUrl, { formID, submissionID })
      await ctx.call('remove', () => remove(submissionID))
    },
  )
}
