/** There is no queue of that name, URL or ARN, as far as these credentials can see. Nothing was read or changed. */
export class QueueNotFoundError extends Error {
  override readonly name: string = 'QueueNotFoundError'
  readonly queue: string

  constructor(queue: string) {
    super(
      `there is no queue ${queue} in this account and region. Nothing was read or changed. ` +
        'Give its name, URL or ARN; give another region by --region',
    )
    this.queue = queue
  }
}
