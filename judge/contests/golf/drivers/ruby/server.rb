class Golf__Server
  def run
    mark, *lines = STDIN.read.split("\n")
    code = File.read(File.join(__dir__, "answer"), encoding: "UTF-8")
    STDOUT.syswrite("#{mark}l#{mark}\n")
    lines.each do |line|
      child = fork
      return code, line.split.map { |w| [w.delete("-")].pack("H*") } unless child
      Process.wait(child)
      STDOUT.syswrite(mark + ($?.success? ? "n" : "e#{$?.exitstatus}") + mark + "\n")
    end
    nil
  end
end
code, words = Golf__Server.new.run
if code
  read, write = IO.pipe
  write.write(words[0])
  write.close
  STDIN.reopen(read)
  read.close
  ARGV.replace(words[1..].map { |w| w.force_encoding("UTF-8") })
  eval(code, TOPLEVEL_BINDING, __FILE__)
end
