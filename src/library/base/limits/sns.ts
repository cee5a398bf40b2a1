/** Limits of SNS, as AWS documents them. Sizes are bytes of UTF-8. */

/**
 * The default of a topic's MaximumMessageSize: one message with its attributes, and all entries of a PublishBatch
 * together. https://docs.aws.amazon.com/sns/latest/dg/sns-batch-api-actions.html
 */
export const messageBytes = 262_144
export const batchBytes = 262_144
/** The most that MaximumMessageSize can be set to. https://docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html */
export const largestMessageBytes = 1_048_576
/** https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html */
export const batchEntries = 10
