/** Limits of EventBridge, as AWS documents them. Sizes are bytes of UTF-8. */

/**
 * All entries of a PutEvents together: source, detail type, detail and resources.
 * https://aws.amazon.com/blogs/compute/more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb
 */
export const batchBytes = 1_048_576
/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
export const batchEntries = 10
/** The longest `source` that an event pattern can match, characters. */
export const sourceLength = 256
/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html */
export const detailTypeLength = 128
