import type { AwsRefusal } from '../../queues/refuseEntry.ts'

/** A refusal as the SDK throws it. */
export function toClientError({ code, message }: AwsRefusal): Error {
  return Object.assign(new Error(message), {
    name: code,
    Code: code,
    $fault: 'client',
    $metadata: { httpStatusCode: 400, attempts: 1, totalRetryDelay: 0 },
  })
}

/** A refusal as a batch answer reports it. */
export function toFailedEntry(id: unknown, { code, message }: AwsRefusal): object {
  return { Id: id, SenderFault: true, Code: code, Message: message }
}

export function invalid(message: string): AwsRefusal {
  return { code: 'InvalidParameterValue', message }
}
