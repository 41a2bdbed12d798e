/** Name of the embedding model that ships with Loom. */
export const DEFAULT_EMBEDDING_MODEL = 'all-MiniLM-L6-v2'

/** Where models with an owner's name, like `owner/model`, are fetched from. */
export const DEFAULT_HUB = 'https://huggingface.co'
