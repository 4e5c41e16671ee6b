/** Plays the video from this second and brings it into sight. */
export function goTo(video: HTMLVideoElement | null, seconds: number): void {
  if (!video) return
  video.currentTime = seconds
  void video.play().catch(() => {
    // The browser does not let the page start it; the place is right.
  })
  video.scrollIntoView({ block: 'nearest' })
}
