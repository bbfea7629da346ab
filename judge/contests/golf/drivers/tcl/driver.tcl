namespace eval golf__ {
  variable lines [split [string trimright [read stdin] \n] \n] code
  variable mark [lindex $lines 0]
  set h [open [file join [file dirname [info script]] answer]]
  fconfigure $h -encoding utf-8
  set code [read $h]
  close $h
}
proc golf__::frame {kind text} { variable mark; puts stdout $mark$kind$text$mark; flush stdout }
set golf__::name {{name}}
if {$golf__::name eq ""} {
  set golf__::f [list apply [string trim $golf__::code]]
  if {[llength $golf__::f] != 2 || [llength [lindex $golf__::f 1]] ni {2 3}} { set golf__::f [list apply [lindex [string trim $golf__::code] 0]] }
} else {
  uplevel #0 $golf__::code
  if {[llength [info commands $golf__::name]]} { set golf__::f $golf__::name } else { set golf__::f [list apply [set $golf__::name]] }
}
golf__::frame l ""
foreach golf__::line [lrange $golf__::lines 1 end] {
  if {[catch {uplevel #0 [concat $golf__::f {call}]} golf__::v]} {
    golf__::frame e $golf__::v
  } else {
    golf__::frame n $golf__::v
  }
}
