import type { Kind } from './video.ts'

const MIME_TYPES: Record<string, string> = {
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  m3u8: 'application/vnd.apple.mpegurl',
}

/** The kind of media at an address: known players are embeds, `.m3u8` is HLS, everything else is a file. */
export function kindOf(address: string): Kind {
  const url = parse(address)
  if (isPlayer(url)) return 'embed'
  return extensionOf(url) === 'm3u8' ? 'hls' : 'file'
}

export const mimeTypeOf = (address: string, kind: Kind): string =>
  kind === 'embed'
    ? 'text/html'
    : (MIME_TYPES[extensionOf(parse(address))] ??
      (kind === 'hls' ? 'application/vnd.apple.mpegurl' : 'video/mp4'))

/**
 * The address of the player for an iframe (docs/choices-learning.md). PeerTube hosts are not on that list, so it
 * returns null for them.
 */
export function embedUrlOf(address: string, kind: Kind): string | null {
  if (kind !== 'embed') return null
  const url = parse(address)
  const youtube = youtubeId(url)
  if (youtube !== undefined) return `https://www.youtube-nocookie.com/embed/${youtube}`
  const [, vimeo, hash] = isHost(url, 'vimeo.com')
    ? (/^\/(?:video\/)?(\d+)(?:\/(\w+))?\/?$/.exec(url.pathname) ?? [])
    : []
  if (vimeo !== undefined)
    return `https://player.vimeo.com/video/${vimeo}${hash === undefined ? '' : `?h=${hash}`}`
  const archive = archiveItem(url)
  return archive === undefined ? null : `https://archive.org/embed/${archive}`
}

const isPlayer = (url: URL) =>
  isHost(url, 'youtube.com', 'youtube-nocookie.com', 'youtu.be', 'vimeo.com') ||
  archiveItem(url) !== undefined ||
  /^\/(?:w|videos\/watch|videos\/embed)\/[\w-]+\/?$/.test(url.pathname)

const archiveItem = (url: URL): string | undefined =>
  isHost(url, 'archive.org') ? /^\/details\/([^/]+)/.exec(url.pathname)?.[1] : undefined

function youtubeId(url: URL): string | undefined {
  if (isHost(url, 'youtu.be')) return /^\/([\w-]+)/.exec(url.pathname)?.[1]
  if (!isHost(url, 'youtube.com', 'youtube-nocookie.com')) return undefined
  const named = /^\/(?:embed|shorts|live|v)\/([\w-]+)/.exec(url.pathname)?.[1]
  return named ?? /^[\w-]+$/.exec(url.searchParams.get('v') ?? '')?.[0]
}

/** True for a host itself and for its subdomains. */
const isHost = ({ hostname }: URL, ...hosts: string[]) =>
  hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))

const extensionOf = (url: URL) => /\.([a-z0-9]+)$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? ''

/** Resolves paths of this site against a host that matches no player. */
const parse = (address: string) => new URL(address, 'https://own.invalid')
