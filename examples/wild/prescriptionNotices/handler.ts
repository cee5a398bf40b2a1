import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

/**
 * After `nhsNotifyLambda` of https://github.com/NHSDigital/eps-prescription-status-update-api (MIT): a patient gets a notice
 * that a prescription is ready, and a table has its id. There the reference of a batch is random: a crash before the table is written
 * sends another notice.
 */
const Update = z.object({
  RequestID: z.string(),
  PatientNHSNumber: z.string(),
  PharmacyODSCode: z.string(),
  Status: z.string(),
})

type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

/** @param reference one notice for each. @returns its id */
type Notify = (nhsNumber: string, reference: string) => Promise<string>

export function notices(given: Given, notify: Notify) {
  return recordHandler(
    { ...given, name: 'notices', schema: Update, id: ({ RequestID }) => RequestID },
    async ({ PatientNHSNumber, PharmacyODSCode, Status }, ctx) => {
      const notice = await ctx.call('notify', ({ idempotencyKey }) =>
        notify(PatientNHSNumber, idempotencyKey),
      )
      await ctx.write('told', {
        TableName: 'notifications',
        Key: { NHSNumber: PatientNHSNumber, ODSCode: PharmacyODSCode },
        set: { status: Status, notice },
      })
    },
  )
}
